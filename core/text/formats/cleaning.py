"""What stands in a message and was said by nobody: marks of edits, attachments, quotes, reactions, notices.

The same rules hold for every chat. The words are those that the programs write, in the languages of their exports.
"""

import re
from collections.abc import Sequence

from core.text.formats.transcript import Said
from core.text.marks import EDGE

_EDIT = (
    r"edit|bearbeit|modif|bewerk|düzenlen|изменен|отредакт|edytowan|diedit|đã chỉnh sửa|編集|수정|编辑|編輯"
    r"|تعديل|נערכה|संपादित|แก้ไข|redigera|rediger|muokat"
)
_EDITED = re.compile(
    rf"\s*(?:\u200e<[^<>\n]{{3,80}}>|<[^<>\n]{{0,60}}(?:{_EDIT})[^<>\n]{{0,60}}>|\((?:edited|bearbeitet)\))$", re.I
)
_DELETED = re.compile(
    r"(?:this message (?:was|has been) deleted|you deleted this message|message deleted|nachricht gelöscht"
    r"|message unsent|you unsent a message"
    r"|diese nachricht wurde gelöscht|du hast diese nachricht gelöscht|se eliminó este mensaje|eliminaste este mensaje"
    r"|ce message a été supprimé|vous avez supprimé ce message|questo messaggio è stato eliminato"
    r"|hai eliminato questo messaggio|(?:esta )?mensagem (?:foi )?apagada|você apagou esta mensagem"
    r"|dit bericht is verwijderd|je hebt dit bericht verwijderd|bu mesaj silindi|bu mesajı sildiniz"
    r"|данное сообщение удалено|вы удалили данное сообщение|(?:ta )?wiadomość (?:została )?usunięta"
    r"|pesan ini (?:telah )?dihapus|anda telah menghapus pesan ini|tin nhắn này đã bị xóa|bạn đã xóa tin nhắn này"
    r"|تم حذف هذه الرسالة|حذفت هذه الرسالة|הודעה זו נמחקה|यह मैसेज मिटाया गया था|このメッセージは削除されました"
    r"|此消息已删除|此訊息已刪除|您已删除此消息|삭제된 메시지입니다)\.?",
    re.I,
)
_MEDIA_NAME = r"[^\n<>:/\\|?*]{1,80}\.[A-Za-z0-9]{2,4}"
_ATTACHED = (
    r"file attached|datei angehängt|archivo adjunto|fichier joint|file allegato|arquivo anexado|bestand bijgevoegd"
    r"|dosya ekli|файл добавлен|plik załączony|file terlampir|tệp đính kèm|ملف مرفق|הקובץ מצורף|添付ファイル|文件附件"
)
_ATTACHMENT = re.compile(
    rf"\u200e?(?:{_MEDIA_NAME} \((?:{_ATTACHED})\)|<[^<>\n:]{{3,20}}: [^<>\n]{{1,120}}>"
    r"|\[(?:attachment|file|image): [^\[\]\n]{1,120}\])",
    re.I,
)
_THING = (
    r"image|photo|picture|video|audio|gif|sticker|document|contact card|voice message|video note|file|attachment"
    r"|location|live location|link|post|story|reel"
)
_MEDIA = re.compile(rf"<(?!https?:)[^<>@\n]{{3,60}}>|(?:{_THING}) omitted|\[(?:{_THING})s?(?: message)?\]", re.I)
_OWN_MEDIA = re.compile(rf" (?:sent|shared) (?:an?|the|your|\d+) (?:{_THING})s?\.?", re.I)
_QUOTE_MARKS = "\"“”„«»'’"
_REACTION = re.compile(
    rf"(?:loved|liked|disliked|laughed at|emphasi[sz]ed|questioned) (?:[{_QUOTE_MARKS}].*[{_QUOTE_MARKS}]"
    r"|an? (?:message|image|photo|video|link|movie|sticker|audio message)|your message)"
    rf"|reacted (?:.{{1,20}} )?to (?:[{_QUOTE_MARKS}].*|your message|a message|an? \w+)"
    rf"|removed an? .{{1,30}} (?:reaction )?from [{_QUOTE_MARKS}].*"
    r"|(?:reagiert auf|hat auf|ha reaccionado|reaccionó|a réagi|heeft gereageerd) .{1,20} ?[\"“„«].*",
    re.I | re.S,
)
_NOTICE = re.compile(
    r"(?:missed|declined|cancell?ed|unanswered) (?:group )?(?:voice|video|audio) (?:call|chat)(?: (?:at|from) .{0,60})?"
    r"|(?:voice|video|audio) call, .?\d.{0,30}|you are now connected on messenger\.?"
    r"|messages (?:to this chat )?and calls are (?:now )?end-to-end encrypted\b.{0,160}",
    re.I,
)
_OWN_NOTICE = re.compile(
    r" (?:started an? (?:(?:audio|video|group) )?(?:call|chat)"
    r"|(?:joined|left|ended) the (?:call|chat|group|video chat|meeting)"
    r"|(?:named|created) the group\b.{0,80}|(?:added|removed) .{1,80} (?:to|from) the group"
    r"|(?:set|cleared|changed) (?:the|your|his|her|their) "
    r"(?:nickname|theme|chat theme|group photo|quick reaction|emoji)\b.{0,80}"
    r"|changed the (?:subject|group name|group description)\b.{0,120}|pinned a message\b.{0,60}"
    r"|called you|missed your call|unsent a message)\.?",
    re.I,
)
"""What Messenger and Instagram write of somebody as their own message, after the name."""
_ATTACHED_LAST = re.compile(r"\s*\u200e<[^<>\n]{3,20}: [^<>\n]{1,120}>$")
_BLANK = " \t\r\n\u200e\u200f\u202f\u00a0"
_REPLY = re.compile(
    r"(?:replying to|replied to|antwort auf|répondre à|respondiendo a|in reply to)\b[^\n]{0,200}\n\s*", re.I
)
_QUOTED = re.compile(r"(?:>[^\n]*(?:\n|$)\s*)+")


def clean(entry: Said) -> tuple[str, Sequence[str]]:
    """Take away what nobody said in a message.

    Returns:
        The words that are left, and a reason of `transcript.REASONS` for each piece that was taken away; the last one
        is why nothing is left.
    """
    words, reasons = entry.text.strip(_BLANK), []
    if found := _ATTACHED_LAST.search(words, max(len(words) - 200, 0)):
        words = words[: found.start()]
        reasons.append("media")
    elif (mark := _EDITED.search(words, max(len(words) - 160, 0))) and mark.start():
        words = words[: mark.start()]
        reasons.append("edited")
    quote = _REPLY.match(words) or _QUOTED.match(words)
    if quote and quote.end() < len(words):
        words = words[quote.end() :]
        reasons.append("quote")
    if (found := _ATTACHMENT.match(words)) and words[found.end() : found.end() + 1] in ("", "\n", "\r"):
        words = words[found.end() :].strip()
        reasons.append("media")
    reason = _whole_reason(words.strip(EDGE), entry.speaker or "")
    return ("", [*reasons, reason]) if reason else (words, reasons)


def _whole_reason(words: str, speaker: str) -> str:
    """Return why all of a message is no speech, or ""."""
    if len(words) > 400:
        return ""
    for reason, pattern in (("deleted", _DELETED), ("media", _MEDIA), ("reaction", _REACTION), ("notice", _NOTICE)):
        if pattern.fullmatch(words):
            return reason
    for name in filter(None, (speaker, "You")):
        if words.startswith(name):
            for reason, pattern in (("media", _OWN_MEDIA), ("notice", _OWN_NOTICE)):
                if pattern.fullmatch(words, len(name)):
                    return reason
    return ""
