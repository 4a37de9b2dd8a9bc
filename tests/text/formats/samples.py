"""A sample of every format, with the turns that a reader would want; all of it is invented."""

import io
import json
import zipfile
from dataclasses import dataclass, field

Turns = list[tuple[str | None, str]]


@dataclass(frozen=True)
class Sample:
    """A file as a tool writes it.

    Args:
        format: name of the reader that recognises it.
        file: its name.
        content: its text, or its bytes.
        turns: speaker and words.
        left_out: how many entries, by the reason.
        joined: how many entries continue a turn.
    """

    format: str
    file: str
    content: str | bytes
    turns: Turns
    left_out: dict[str, int] = field(default_factory=dict)
    joined: int = 0

    @property
    def data(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content.encode("utf-8", "surrogatepass")


def document(*paragraphs: str) -> bytes:
    """Return a Word document."""
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    runs = "".join(
        "<w:p>" + "".join(f"<w:r><w:t xml:space='preserve'>{piece}</w:t></w:r>" for piece in each.split("|")) + "</w:p>"
        for each in paragraphs
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "word/document.xml", f"<?xml version='1.0'?><w:document {space}><w:body>{runs}</w:body></w:document>"
        )
    return buffer.getvalue()


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


TWO: Turns = [("Anna", "Are you in?"), ("Ben", "Yes, at five.")]
PHONE = "+90 532 000 00 01"

ANDROID = [
    ("en", "12/03/2025, 9:14 pm - Anna: Are you in?", "12/03/2025, 9:15 pm - Ben: Yes, at five.", "12/03/2025, 9:13 pm - Anna added Ben", "12/03/2025, 9:16 pm - Ben: <Media omitted>"),
    ("us", "3/12/25, 9:14\u202fPM - Anna: Are you in?", "3/12/25, 9:15\u202fPM - Ben: Yes, at five.", "3/12/25, 9:13\u202fPM - Messages and calls are end-to-end encrypted.", "3/12/25, 9:16\u202fPM - Ben: IMG-20250312-WA0001.jpg (file attached)"),
    ("de", "12.03.25, 21:14 - Anna: Are you in?", "12.03.25, 21:15 - Ben: Yes, at five.", "12.03.25, 21:13 - Anna hat die Gruppe „Fest: 2025“ erstellt", "12.03.25, 21:16 - Ben: <Medien ausgeschlossen>"),
    ("es", "12/3/25, 9:14 p. m. - Anna: Are you in?", "12/3/25, 9:15 p.\u00a0m. - Ben: Yes, at five.", "12/3/25, 9:13 p. m. - Anna añadió a Ben", "12/3/25, 9:16 p. m. - Ben: Se eliminó este mensaje."),
    ("fr", "12/03/2025 à 21:14 - Anna: Are you in?", "12/03/2025 à 21:15 - Ben: Yes, at five.", "12/03/2025 à 21:13 - Anna a ajouté Ben", "12/03/2025 à 21:16 - Ben: <Médias omis>"),
    ("it", "12/03/25, 21:14 - Anna: Are you in?", "12/03/25, 21:15 - Ben: Yes, at five.", "12/03/25, 21:13 - Anna ha aggiunto Ben", "12/03/25, 21:16 - Ben: <Media omessi>"),
    ("pt", "12/03/2025 21:14 - Anna: Are you in?", "12/03/2025 21:15 - Ben: Yes, at five.", "12/03/2025 21:13 - Anna adicionou Ben", "12/03/2025 21:16 - Ben: Mensagem apagada"),
    ("nl", "12-03-2025 21:14 - Anna: Are you in?", "12-03-2025 21:15 - Ben: Yes, at five.", "12-03-2025 21:13 - Anna heeft Ben toegevoegd", "12-03-2025 21:16 - Ben: <Media weggelaten>"),
    ("tr", "12.03.2025 21:14 - Anna: Are you in?", "12.03.2025 21:15 - Ben: Yes, at five.", "12.03.2025 21:13 - Anna, Ben kişisini ekledi", "12.03.2025 21:16 - Ben: Bu mesaj silindi"),
    ("ru", "12.03.2025, 21:14 - Anna: Are you in?", "12.03.2025, 21:15 - Ben: Yes, at five.", "12.03.2025, 21:13 - Anna добавил(-а) Ben", "12.03.2025, 21:16 - Ben: <Без медиафайлов>"),
    ("sv", "2025-03-12 21:14 - Anna: Are you in?", "2025-03-12 21:15 - Ben: Yes, at five.", "2025-03-12 21:13 - Anna lade till Ben", "2025-03-12 21:16 - Ben: <Media har utelämnats>"),
    ("fi", "12.3.2025 klo 21.14 - Anna: Are you in?", "12.3.2025 klo 21.15 - Ben: Yes, at five.", "12.3.2025 klo 21.13 - Anna lisäsi: Ben", "12.3.2025 klo 21.16 - Ben: <Media jätettiin pois>"),
    ("vi", "21:14, 12/03/2025 - Anna: Are you in?", "21:15, 12/03/2025 - Ben: Yes, at five.", "21:13, 12/03/2025 - Anna đã thêm Ben", "21:16, 12/03/2025 - Ben: <Bỏ qua nội dung đa phương tiện>"),
    ("ar", "١٢‏/٣‏/٢٠٢٥، ٩:١٤ م - Anna: Are you in?", "١٢‏/٣‏/٢٠٢٥، ٩:١٥ م - Ben: Yes, at five.", "١٢‏/٣‏/٢٠٢٥، ٩:١٣ م - أضاف Anna‏ Ben", "١٢‏/٣‏/٢٠٢٥، ٩:١٦ م - Ben: <تم استبعاد الوسائط>"),
    ("fa", "۱۴۰۳/۱۲/۲۲، ۲۱:۱۴ - Anna: Are you in?", "۱۴۰۳/۱۲/۲۲، ۲۱:۱۵ - Ben: Yes, at five.", "۱۴۰۳/۱۲/۲۲، ۲۱:۱۳ - Anna به گروه پیوست", "۱۴۰۳/۱۲/۲۲، ۲۱:۱۶ - Ben: <رسانه حذف شد>"),
    ("he", "12.3.2025, 21:14 - Anna: Are you in?", "12.3.2025, 21:15 - Ben: Yes, at five.", "12.3.2025, 21:13 - Anna הוסיף את Ben", "12.3.2025, 21:16 - Ben: <המדיה לא נכללה>"),
    ("hi", "12/03/25, 9:14 pm - Anna: Are you in?", "12/03/25, 9:15 pm - Ben: Yes, at five.", "12/03/25, 9:13 pm - Anna ने Ben को जोड़ा", "12/03/25, 9:16 pm - Ben: <मीडिया के बिना>"),
    ("ja", "2025/03/12 21:14 - Anna: Are you in?", "2025/03/12 21:15 - Ben: Yes, at five.", "2025/03/12 21:13 - Annaさんが参加しました", "2025/03/12 21:16 - Ben: <メディアは含まれていません>"),
    ("ko", "2025. 3. 12. 오후 9:14 - Anna: Are you in?", "2025. 3. 12. 오후 9:15 - Ben: Yes, at five.", "2025. 3. 12. 오후 9:13 - Anna님이 Ben님을 추가했습니다", "2025. 3. 12. 오후 9:16 - Ben: <미디어 제외>"),
    ("zh", "2025/3/12 下午9:14 - Anna: Are you in?", "2025/3/12 下午9:15 - Ben: Yes, at five.", "2025/3/12 下午9:13 - Anna 添加了 Ben", "2025/3/12 下午9:16 - Ben: <省略多媒体文件>"),
    ("pl", "12.03.2025, 21:14 - Anna: Are you in?", "12.03.2025, 21:15 - Ben: Yes, at five.", "12.03.2025, 21:13 - Anna dodał(a) Ben", "12.03.2025, 21:16 - Ben: <pominięto multimedia>"),
    ("id", "12/03/25 21.14 - Anna: Are you in?", "12/03/25 21.15 - Ben: Yes, at five.", "12/03/25 21.13 - Anna menambahkan Ben", "12/03/25 21.16 - Ben: <Media tidak disertakan>"),
    ("el", "12/3/25, 9:14 μ.μ. - Anna: Are you in?", "12/3/25, 9:15 μ.μ. - Ben: Yes, at five.", "12/3/25, 9:13 μ.μ. - Ο χρήστης Anna πρόσθεσε τον Ben", "12/3/25, 9:16 μ.μ. - Ben: <Παραλείφθηκαν πολυμέσα>"),
    ("th", "12/3/2568 21:14 - Anna: Are you in?", "12/3/2568 21:15 - Ben: Yes, at five.", "12/3/2568 21:13 - Anna เพิ่ม Ben", "12/3/2568 21:16 - Ben: <ไม่รวมสื่อ>"),
]  # fmt: skip
"""WhatsApp on Android by language: two messages, a notice before them, and something without words after them."""

IOS = [
    ("en", "[12/03/2025, 9:14:05\u202fPM]"),
    ("de", "[12.03.25, 21:14:05]"),
    ("fr", "[12/03/2025 21:14:05]"),
    ("sv", "[2025-03-12, 21:14:05]"),
    ("tr", "[12.03.2025 21:14:05]"),
    ("zh", "[2025/3/12 下午9:14:05]"),
    ("ja", "[2025/03/12 21:14:05]"),
    ("ko", "[2025. 3. 12. 오후 9:14:05]"),
    ("nl", "[12-03-2025 21:14:05]"),
    ("it", "[12/03/25, 21:14:05]"),
    ("fi", "[12.3.2025 klo 21.14.05]"),
    ("ar", "[١٢‏/٣‏/٢٠٢٥، ٩:١٤:٠٥ م]"),
]
"""The stamps of WhatsApp on iOS by language."""


def ios(stamp: str) -> str:
    mark = "\u200e"
    lines = [
        f"{stamp} Choir: {mark}Messages and calls are end-to-end encrypted.",
        f"{mark}{stamp} Choir: {mark}Anna created this group",
        f"{stamp} Anna: Are you in?",
        f"{mark}{stamp} Anna: {mark}image omitted",
        f"{stamp} ~\u202fBen: Yes, at five. {mark}<This message was edited>",
        f"{mark}{stamp} ~\u202fBen: {mark}This message was deleted.",
    ]
    return "\r\n".join(lines)


def vtt(*cues: tuple[str, str], head: str = "WEBVTT") -> str:
    """Return a WebVTT of cues with their identifiers, five seconds each."""
    blocks = [
        f"{name}\n00:00:{5 * place:02d}.000 --> 00:00:{5 * place + 4:02d}.500\n{text}".lstrip("\n")
        for place, (name, text) in enumerate(cues)
    ]
    return "\n\n".join([head, *blocks]) + "\n"


ID = "9f1c2a30-77aa-4b1e-9d6c-0a1b2c3d4e5f"
TEAMS = [
    (f"{ID}/1-0", "<v Anna>Are you</v>"),
    (f"{ID}/1-1", "<v Anna>in?</v>"),
    (f"{ID}/2-0", "<v Ben>Yes, at five.</v>"),
]
SRT = "1\n00:00:01,000 --> 00:00:02,000\n{0}\n\n2\n00:00:03,000 --> 00:00:04,000\n{1}\n\n3\n00:00:05,000 --> 00:00:06,000\n{2}\n"
PAGE = """<!DOCTYPE html><html><head><title>Chat</title></head><body><div class="page_wrap"><div class="history">
<div class="message service" id="message-1"><div class="body details">12 March 2025</div></div>
<div class="message default clearfix" id="message1"><div class="pull_left userpic_wrap"><div class="userpic"><div class="initials">A</div></div></div>
<div class="body"><div class="pull_right date details" title="12.03.2025 21:14:05">21:14</div>
<div class="from_name">Anna </div><div class="text">Are you<br>in?</div></div></div>
<div class="message default clearfix joined" id="message2"><div class="body"><div class="pull_right date details">21:14</div>
<div class="media_wrap clearfix"><div class="media clearfix pull_left media_photo"><div class="body"><div class="title bold">Photo</div></div></div></div></div></div>
<div class="message default clearfix" id="message3"><div class="body"><div class="pull_right date details">21:15</div>
<div class="from_name">Ben</div><div class="reply_to details">In reply to <a href="#">this message</a></div>
<div class="text">Yes, <b>at</b> five &amp; a bit.</div><div class="reactions"><span class="reaction">👍</span></div></div></div>
<div class="message default clearfix joined" id="message4"><div class="body"><div class="text">Bye.</div></div></div>
</div></div></body></html>"""

SAMPLES = [
    *(Sample("whatsapp", f"android_{code}.txt", "\n".join((notice, first, second, last)), TWO, {
        "notice": 1, "deleted" if last.endswith(("mensaje.", "silindi", "apagada")) else "media": 1,
    }) for code, first, second, notice, last in ANDROID),
    *(Sample("whatsapp", f"ios_{code}.txt", ios(stamp), TWO, {"notice": 2, "media": 1, "edited": 1, "deleted": 1})
      for code, stamp in IOS),
    Sample("whatsapp", "phones.txt", f"12.03.25, 21:14 - {PHONE}: Who is in?\n12.03.25, 23:59 - \u202a+44 7700 900123\u202c: I am\n"
           f"13.03.25, 00:01 - {PHONE}: Good\n13.03.25, 00:02 - Mum!! 😀: Not me: I work", [
               (PHONE, "Who is in?"), ("+44 7700 900123", "I am"), (PHONE, "Good"), ("Mum!! 😀", "Not me: I work")]),
    Sample("whatsapp", "right_to_left.txt", "\u200f[12.3.2025, 21:14:05] נועה: מתי?\n\u200f[12.3.2025, 21:15:05] أحمد: غدا: ٨:٣٠\n"
           "\u200f[12.3.2025, 21:16:05] נועה: \u200fטוב", [("נועה", "מתי?"), ("أحمد", "غدا: ٨:٣٠"), ("נועה", "טוב")]),
    Sample("whatsapp", "lists.txt", "12.03.25, 21:14 - Anna: To buy:\nMilk: 2\nBread: 1\n\n12:30 is late\n12.03.25, 21:15 - Ben: Yes", [
        ("Anna", "To buy:\nMilk: 2\nBread: 1\n\n12:30 is late"), ("Ben", "Yes")]),
    Sample("telegram", "result.json", as_json({"name": "Choir", "type": "private_group", "id": 1, "messages": [
        {"id": 1, "type": "service", "date": "2025-03-12T21:13:00", "actor": "Anna", "action": "create_group", "text": ""},
        {"id": 2, "type": "message", "date": "2025-03-12T21:14:00", "from": "Anna", "from_id": "user1", "text": ["Are ", {"type": "bold", "text": "you"}, " in?"]},
        {"id": 3, "type": "message", "date": "2025-03-12T21:14:30", "from": "Anna", "from_id": "user1", "photo": "a.jpg", "text": ""},
        {"id": 4, "type": "message", "date": "2025-03-12T21:15:00", "from": None, "from_id": "user2", "text": "Yes, at five.", "reply_to_message_id": 2},
    ]}), [("Anna", "Are you in?"), ("user2", "Yes, at five.")], {"notice": 1, "media": 1}),
    Sample("telegram-html", "messages.html", PAGE, [("Anna", "Are you\nin?"), ("Ben", "Yes, at five & a bit."), ("Ben", "Bye.")], {"notice": 1, "media": 1}),
    Sample("signal", "chat.md", "[2025-03-12 21:14] Anna: Are you in?\n[2025-03-12 21:15] Ben: >\n> Are you in?\n>\nYes, at five.", TWO, {"quote": 1}),
    Sample("signal-json", "data.json", "".join(json.dumps(each) + "\n" for each in (
        {"date": "2025-03-12T21:14:00", "sender": "Anna", "body": "Are you in?", "quote": "", "sticker": "", "reactions": [], "attachments": []},
        {"date": "2025-03-12T21:14:10", "sender": "Anna", "body": "", "quote": "", "sticker": "", "reactions": [], "attachments": [{"fileName": "a.jpg"}]},
        {"date": "2025-03-12T21:15:00", "sender": "Ben", "body": "Yes, at five.", "quote": "> Are you in?", "sticker": "", "reactions": [], "attachments": []},
    )), TWO, {"media": 1}),
    Sample("messenger", "message_1.json", as_json({"participants": [{"name": "Ren\u00c3\u00a9e"}, {"name": "Ben"}], "title": "x", "messages": [
        {"sender_name": "Ben", "timestamp_ms": 5, "content": "Ben named the group Choir.", "type": "Generic"},
        {"sender_name": "Ben", "timestamp_ms": 4, "content": "Reacted \u00f0\u009f\u0098\u008d to your message ", "type": "Generic"},
        {"sender_name": "Ben", "timestamp_ms": 3, "content": "Oui, \u00c3\u00a0 cinq heures \u00f0\u009f\u0098\u0080", "type": "Generic"},
        {"sender_name": "Ren\u00c3\u00a9e", "timestamp_ms": 2, "photos": [{"uri": "x.jpg"}]},
        {"sender_name": "Ren\u00c3\u00a9e", "timestamp_ms": 1, "content": "Tu viens ?", "type": "Generic"},
    ]}), [("Renée", "Tu viens ?"), ("Ben", "Oui, à cinq heures 😀")], {"media": 1, "reaction": 1, "notice": 1}),
    Sample("messenger", "instagram.json", as_json({"participants": [{"name": "Anna"}, {"name": "Ben"}], "messages": [
        {"sender_name": "Ben", "timestamp_ms": 3, "content": "Ben sent an attachment.", "share": {"link": "https://example.org"}},
        {"sender_name": "Ben", "timestamp_ms": 2, "content": "Yes, at five."},
        {"sender_name": "Anna", "timestamp_ms": 1, "content": "Are you in?"},
    ], "is_still_participant": True}), TWO, {"media": 1}),
    Sample("slack", "2025-03-12.json", as_json([
        {"type": "message", "subtype": "channel_join", "user": "U1", "text": "<@U1> has joined the channel", "ts": "1.0"},
        {"type": "message", "user": "U1", "text": "Are you in?", "ts": "2.0", "thread_ts": "2.0", "user_profile": {"real_name": "Anna", "name": "an"}},
        {"type": "message", "user": "U2", "text": "Lunch &lt;now&gt;? <!here> <#C1|food>", "ts": "3.0", "user_profile": {"real_name": "", "name": "cem"}},
        {"type": "message", "user": "U3", "text": "<@U1> Yes, at five.", "ts": "4.0", "thread_ts": "2.0"},
    ]), [("Anna", "Are you in?"), ("U3", "@Anna Yes, at five."), ("cem", "Lunch <now>? @here #food")], {"notice": 1}),
    Sample("discord", "discord.json", as_json({"guild": {"name": "g"}, "channel": {"name": "c"}, "messages": [
        {"id": "1", "type": "GuildMemberJoin", "content": "Joined the server.", "author": {"name": "ben", "nickname": "Ben"}},
        {"id": "2", "type": "Default", "content": "Are you in?", "author": {"name": "anna", "nickname": "Anna"}, "attachments": []},
        {"id": "3", "type": "Reply", "content": "Yes, at five.", "author": {"name": "Ben", "nickname": None}, "reference": {"messageId": "2"}},
        {"id": "4", "type": "Default", "content": "", "author": {"name": "Ben"}, "attachments": [{"url": "x"}]},
    ]}), TWO, {"notice": 1, "media": 1}),
    Sample("discord-text", "discord.txt", f"{'=' * 62}\nGuild: Choir\nChannel: talk / general\n{'=' * 62}\n\n[12/03/2025 21:14] Anna\nAre you in?\n\n"
           f"[12/03/2025 21:15] Ben (pinned)\nYes, at five.\n\n{{Attachments}}\nhttps://example.org/a.jpg\n\n{{Reactions}}\n👍 (2)\n\n"
           f"{'=' * 62}\nExported 2 message(s)\n{'=' * 62}\n", TWO, {"around": 7, "media": 1, "reaction": 1}),
    Sample("teams", "messages.json", as_json({"conversations": [{"id": "x", "MessageList": [
        {"displayName": "Ben", "composetime": "2025-03-12T21:15:00Z", "messagetype": "RichText/Html", "content": "<blockquote>Are you in?</blockquote><p>Yes,&nbsp;at five.</p>"},
        {"displayName": "Anna", "composetime": "2025-03-12T21:14:00Z", "messagetype": "Text", "content": "Are you in?"},
        {"displayName": None, "composetime": "2025-03-12T21:13:00Z", "messagetype": "ThreadActivity/AddMember", "content": "<addmember>x</addmember>"},
    ]}]}), TWO, {"notice": 1}),
    Sample("teams", "graph.json", as_json({"value": [
        {"messageType": "message", "createdDateTime": "2025-03-12T21:15:00Z", "from": {"user": {"displayName": "Ben"}}, "body": {"contentType": "html", "content": "<p>Yes, at five.</p>"}},
        {"messageType": "message", "createdDateTime": "2025-03-12T21:14:00Z", "from": {"user": {"displayName": "Anna"}}, "body": {"contentType": "text", "content": "Are you in?"}},
        {"messageType": "systemEventMessage", "createdDateTime": "2025-03-12T21:13:00Z", "from": None, "body": {"contentType": "html", "content": "<systemEventMessage/>"}},
    ]}), TWO, {"notice": 1}),
    Sample("teams-copy", "teams.txt", "[12/03/2025 9:14 PM] Anna\nAre you in?\n[12/03/2025 9:15 PM] Ben\nYes, at five.\n", TWO),
    Sample("imessage", "imessage.txt", "Mar 12, 2025  9:14:05 PM (Read by them after 2 minutes)\nAnna\nAre you in?\n\n"
           "Mar 12, 2025  9:15:05 PM\nMe\nYes, at five.\nTapbacks:\nLoved by Anna\n\nMar 12, 2025  9:16:05 PM\n+15550000001\nLiked “Yes, at five.”\n",
           [("Anna", "Are you in?"), ("Me", "Yes, at five.")], {"reaction": 3}),
    Sample("table", "imazing.csv", "Chat Session,Message Date,Type,Sender ID,Sender Name,Text\nBen,2025-03-12 21:14:05,Incoming,+1555,Anna,Are you in?\n"
           "Ben,2025-03-12 21:15:05,Outgoing,,Ben,\"Yes, at five.\"\n", TWO),
    Sample("irc", "choir.log", "[21:13] *** Joins: Ben (b@example.org)\n[21:14] <@Anna> Are you in?\n[21:15] <Ben> Yes, at five.\n[21:16] * Ben waves\n", TWO, {"notice": 2}),
    Sample("irc", "irssi.log", "--- Log opened Wed Mar 12 21:13:00 2025\n21:13 -!- Ben [b@example.org] has joined #choir\n21:14 <@Anna> Are you in?\n21:15 < Ben> Yes, at five.\n", TWO, {"notice": 2}),
    Sample("tabs", "weechat.log", "2025-03-12 21:13:00\t-->\tBen (b@example.org) has joined #choir\n2025-03-12 21:14:05\t@Anna\tAre you in?\n2025-03-12 21:15:05\tBen\tYes, at five.\n", TWO, {"notice": 1}),
    Sample("vtt", "zoom.vtt", vtt(("1", "Anna: Are you"), ("2", "Anna: in?"), ("3", "Ben: Yes, at five.")), TWO, joined=1),
    Sample("vtt", "meet.vtt", vtt(("", "<v.loud Anna>Are you in?"), ("", "<v Ben>Yes, <c.x>at</c> five.</v>"), ("", "[Music]"), head="WEBVTT - Call\nKind: captions\n\nNOTE made by hand"), TWO, {"sound": 1}),
    Sample("teams-vtt", "teams.vtt", "\ufeff" + vtt(*TEAMS).replace("\n", "\r\n"), TWO, joined=1),
    Sample("teams-vtt", "renamed.txt", vtt(*TEAMS), TWO, joined=1),
    Sample("webex-vtt", "webex.vtt", vtt(('1 "Anna" (123)', "Are you"), ('2 "Anna" (123)', "in?"), ('3 "Ben" (456)', "Yes, at five.")), TWO, joined=1),
    Sample("srt", "names.srt", SRT.format("Anna: Are you", "in?", "<i>Ben: Yes, at five.</i>"), TWO, joined=1),
    Sample("srt", "brackets.srt", SRT.format("[Anna] Are you", "[Anna] in?", "[Ben] Yes, at five."), TWO, joined=1),
    Sample("srt", "arrows.srt", SRT.format(">> Anna: Are you in?", ">> Ben: Yes,", "at five."), TWO, joined=1),
    Sample("sbv", "meet.sbv", "0:00:01.000,0:00:02.000\nAnna: Are you in?\n\n0:00:03.000,0:00:04.000\nBen: Yes, at five.\n", TWO),
    Sample("zoom-chat", "chat.txt", "21:14:05\t From  Anna  to  Everyone:\n\tAre you in?\n21:15:05\t From  Ben  to  Anna(Direct Message):\n\tReplying to \"Are you in?\"\n\t\n\tYes, at five.\n"
           "21:16:05 From Anna To Everyone: Reacted to \"Yes, at five.\" with 👍\n", TWO, {"quote": 1, "reaction": 1}),
    Sample("teams-docx", "meeting.docx", document("Choir-20250312_211400-Meeting Recording", "12 March 2025, 09:14PM", "0h 2m 5s", "Anna started transcription", "Anna|   0:03", "Are you in?", "Ben|   0:07", "Yes, at five.", "Anna stopped transcription"), TWO, {"around": 5}),
    Sample("meet", "meet.txt", "Choir (2025-03-12 21:14 GMT+1) - Transcript\nAttendees\nAnna, Ben\nTranscript\nThis editable transcript was computer generated and might contain errors.\n00:00:00\n\nAnna: Are you in?\nBen: Yes,\nat five.\n00:05:00\nAnna: Good.\nMeeting ended after 00:06:10 👋\n",
           [("Anna", "Are you in?"), ("Ben", "Yes,\nat five."), ("Anna", "Good.")], {"around": 8}, joined=1),
    Sample("otter", "otter.txt", "Anna  0:03  \nAre you in?\n\nBen  0:07  \nYes, at five.\n\nTranscribed by https://otter.ai\n", TWO, {"around": 1}),
    Sample("under-name", "webex.txt", "Anna Lee\n00:00:03\nAre you in?\n\nBen\n00:00:07\nYes, at five.\n", [("Anna Lee", "Are you in?"), ("Ben", "Yes, at five.")]),
    Sample("paren", "rev.txt", "Anna (00:03):\nAre you in?\n\nBen (00:07):\nYes, at five.\n", TWO),
    Sample("times", "times.txt", "00:01:02 Anna: Are you in?\n00:01:05 Ben: Yes, at five.\n00:01:09 Anna: Good.\n", [*TWO, ("Anna", "Good.")]),
    Sample("copied", "slack.txt", "Anna  9:14 PM\nAre you in?\nBen  9:15 PM\nYes, at five.\n", TWO),
    Sample("copied", "discord_copy.txt", "Anna — Today at 21:14\nAre you in?\nBen — Today at 21:15\nYes, at five. (edited)\n", TWO, {"edited": 1}),
    Sample("telegram-copy", "telegram.txt", "Anna, [12.03.25 21:14]\nAre you in?\n\nBen, [12.03.25 21:15]\nYes, at five.\n", TWO),
    Sample("whisperx", "whisperx.json", as_json({"segments": [
        {"start": 0.0, "end": 1.0, "text": " Are you", "speaker": "SPEAKER_00"}, {"start": 1.0, "end": 2.0, "text": " in?", "speaker": "SPEAKER_00"},
        {"start": 2.5, "end": 4.0, "text": " Yes, at five.", "speaker": "SPEAKER_01"}], "language": "en"}), [("SPEAKER_00", "Are you in?"), ("SPEAKER_01", "Yes, at five.")], joined=1),
    Sample("qmsum", "qmsum.json", as_json({"topic_list": [], "general_query_list": [], "meeting_transcripts": [
        {"speaker": "Anna", "content": "Are {disfmarker} you in ?"}, {"speaker": "Ben", "content": "{vocalsound}"}, {"speaker": "Ben", "content": "Yes , at five ."}]}),
        [("Anna", "Are you in ?"), ("Ben", "Yes , at five .")], {"sound": 1}),
    Sample("json", "ami.json", as_json([{"speaker_id": "A", "text": "Are you in?"}, {"speaker_id": "B", "text": "Yes, at five."}]), [("A", "Are you in?"), ("B", "Yes, at five.")]),
    Sample("roles", "visit.txt", "[doctor] since when ?\n[patient] two weeks\n[doctor] okay\n", [("doctor", "since when ?"), ("patient", "two weeks"), ("doctor", "okay")]),
    Sample("paragraph", "call.txt", "Agent: Hello, this is Greta. Customer: My bill doubled. Agent: I see. Customer: Please help.", [
        ("Agent", "Hello, this is Greta."), ("Customer", "My bill doubled."), ("Agent", "I see."), ("Customer", "Please help.")]),
    Sample("dialogue", "letters.txt", "D: Since when?\nP: Two weeks: at least.\nD: I see.\n", [("D", "Since when?"), ("P", "Two weeks: at least."), ("D", "I see.")]),
    Sample("table", "two.csv", "doctor,Since when?\npatient,\"Two weeks, at least.\"\ndoctor,I see.\npatient,Thanks.\n", [
        ("doctor", "Since when?"), ("patient", "Two weeks, at least."), ("doctor", "I see."), ("patient", "Thanks.")]),
    Sample("table", "headed.csv", "\ufeffspeaker;text\r\nAnna;Are you in?\r\nBen;Yes, at five.\r\n", TWO),
]  # fmt: skip
