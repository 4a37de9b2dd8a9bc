"""Get a model from the hub by its name: say what it is, then download what an import reads.

The endpoint is that of `huggingface_hub`: HF_ENDPOINT names a mirror, HF_HUB_OFFLINE=1 forbids the network. Its own
`hf_hub_download` starts a file that was cut off from its beginning and can be cancelled every 10 MB only.
"""

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from core.errors import DownloadError
from core.files import cause
from core.importing import adapter, families, folder
from core.words import say

NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
README = "README.md"
UNITS = ("bytes", "kB", "MB", "GB")
TRIES = 5
"""How often a file that breaks off is asked for again without a new byte in between."""
PAUSE = 1.0
"""Seconds before that; before each further try without a new byte twice as many."""


@dataclass(frozen=True)
class File:
    """A file of a repository.

    Args:
        name: in the repository.
        size: in bytes.
        sha256: of its content; None where the hub keeps none, for small files.
    """

    name: str
    size: int
    sha256: str | None


@dataclass(frozen=True)
class Remote:
    """A model on the hub that an import can read.

    Args:
        name: of the repository, `owner/model`.
        revision: the commit.
        family: of the model, in words.
        licence: that its page states, None if it states none.
        files: those that an import reads.
        config: content of config.json.
        generation: content of generation_config.json; None if there is none.
        endpoint: address of the hub; None: that of `huggingface_hub`.
    """

    name: str
    revision: str
    family: str
    licence: str | None
    files: tuple[File, ...]
    config: Mapping[str, Any]
    generation: Mapping[str, Any] | None
    endpoint: str | None = None

    @property
    def short(self) -> str:
        """The name without that of its owner."""
        return self.name.rpartition("/")[2]

    @property
    def bytes(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def size(count: int) -> str:
    """Return a number of bytes as people read it: 12 kB, 1.6 GB."""
    power = min(max(len(str(count)) - 1, 0) // 3, 3)
    value = count / 1000**power
    return f"{value:.1f} {UNITS[power]}" if power and value < 10 else f"{value:.0f} {UNITS[power]}"


def describe(name: str, revision: str | None = None, *, endpoint: str | None = None) -> Remote:
    """Look a model up on the hub; of its files only the configuration is downloaded.

    Args:
        name: `owner/model`.
        revision: a branch, a tag, a commit, or refs/pr/NUMBER; None: the main branch.
        endpoint: address of the hub; None: that of `huggingface_hub`.

    Raises:
        DownloadError: there is no such model or revision, it may not be downloaded, has no safetensors, or the hub
            cannot be reached.
        CheckpointError: it is none of the families that can be imported.
    """
    if len(name) > 200 or not NAME.fullmatch(name):
        raise DownloadError(
            "there is no such folder, and it is not a model's name either. Received: {name!r}; "
            "allowed: a folder, or a name such as facebook/bart-large-cnn",
            name=name[:200],
        )
    import huggingface_hub as hub
    from huggingface_hub import constants

    with _in_words(name, revision):
        api = hub.HfApi(endpoint=endpoint)
        info = api.model_info(name, revision=revision, files_metadata=True, timeout=constants.HF_HUB_ETAG_TIMEOUT)
        siblings = {
            each.rfilename: File(each.rfilename, each.size or 0, each.lfs.sha256 if each.lfs else None)
            for each in info.siblings or ()
        }
        commit = str(info.sha)
        with tempfile.TemporaryDirectory(prefix="dialoscope-") as place:
            for wanted in (folder.CONFIG, folder.GENERATION, folder.INDEX):
                if wanted in siblings:
                    hub.hf_hub_download(name, wanted, revision=commit, local_dir=place, endpoint=endpoint)
            if folder.CONFIG not in siblings and adapter.CONFIG in siblings:
                hub.hf_hub_download(name, adapter.CONFIG, revision=commit, local_dir=place, endpoint=endpoint)
                settings = folder.read_json(Path(place) / adapter.CONFIG)
                adapter.check(settings, name)
                raise DownloadError(
                    "{name} is a LoRA adapter of {base}, which is merged from folders only: download both, and name "
                    "the adapter's folder and that of its base",
                    name=name,
                    base=str(settings.get("base_model_name_or_path")),
                )
            if folder.CONFIG not in siblings:
                raise DownloadError(
                    "{name} has no {file}: it is not a model that transformers opens. It has: {files}",
                    name=name,
                    file=folder.CONFIG,
                    files=", ".join(sorted(siblings)[:5]) or say("no files"),
                )
            config, generation = (
                folder.read_json(Path(place) / each) if each in siblings else None
                for each in (folder.CONFIG, folder.GENERATION)
            )
            family = families.checked(config or {}).title
            weights = _weights(name, Path(place), siblings)
    wanted_files = (folder.CONFIG, folder.GENERATION, README, *folder.TOKENIZER, *weights)
    files = tuple(siblings[each] for each in wanted_files if each in siblings)
    licence = (info.card_data or {}).get("license")
    return Remote(
        info.id or name, commit, family, str(licence) if licence else None, files, config or {}, generation, endpoint
    )


def heads(remote: Remote) -> folder.Folder:
    """Return a model of the hub as a folder whose tensors have names and shapes, read from the heads of its files.

    Raises:
        DownloadError: the hub cannot be reached, or a file is not what its name says.
    """
    import huggingface_hub as hub
    from huggingface_hub.errors import NotASafetensorsRepoError, SafetensorsParsingError

    try:
        with _in_words(remote.name, remote.revision):
            api = hub.HfApi(endpoint=remote.endpoint)
            metadata = api.get_safetensors_metadata(remote.name, revision=remote.revision)
    except (NotASafetensorsRepoError, SafetensorsParsingError) as error:
        raise DownloadError("{name} has no readable safetensors: {error}", name=remote.name, error=error) from None
    tensors = {
        name: folder.Tensor(name, tuple(info.shape), info.dtype, Path(file), 0)
        for file, head in metadata.files_metadata.items()
        for name, info in head.tensors.items()
    }
    tensors, _ = folder.unwrapped(tensors, Path(remote.short))
    return folder.Folder(Path(remote.short), remote.config, remote.generation, tensors, {}, Path(remote.short))


@contextmanager
def fetched(
    remote: Remote,
    output: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Path]:
    """Download a model into a hidden folder beside `output`, yield that folder, and remove it when the block ends.

    If the process is killed or the connection breaks off, what has arrived stays, and the next call goes on from there.

    Args:
        remote: the model.
        output: the checkpoint that it will become.
        progress: called with the number of bytes that are there and of all bytes.
        cancelled: asked again and again; once it returns True, the download stops and nothing stays.

    Raises:
        DownloadError: it was cancelled, the connection broke off, the disk is full, a file is not what the hub says,
            or another process is downloading it.
    """
    from filelock import FileLock, Timeout

    place = output.with_name(f".{output.name}.download")
    try:
        place.mkdir(parents=True, exist_ok=True)
        lock = FileLock(place / "lock")
        lock.acquire(timeout=0)
    except Timeout:
        raise DownloadError(
            "another process is downloading {name} into {folder} just now: wait until it is over",
            name=output.name,
            folder=output.parent,
        ) from None
    except OSError as error:
        raise DownloadError(
            "{folder} cannot be written: {reason}. Name another folder", folder=output.parent, reason=cause(error)
        ) from None
    keep = False
    try:
        model = place / f"{remote.short}@{remote.revision[:12]}"
        for other in place.iterdir():
            if other.is_dir() and other != model:
                shutil.rmtree(other)
        model.mkdir(exist_ok=True)
        try:
            _download_all(remote, model, progress, cancelled)
        except BaseException:
            keep = any(model.iterdir()) and not cancelled()
            raise
        yield model
    finally:
        if not keep:
            shutil.rmtree(place, ignore_errors=True)
        lock.release()


def _weights(name: str, place: Path, found: Mapping[str, File]) -> tuple[str, ...]:
    """Return the names of the files of weights and of their index; raises DownloadError if there are none."""
    if folder.WEIGHTS in found:
        return (folder.WEIGHTS,)
    if folder.INDEX in found:
        index = folder.read_json(place / folder.INDEX).get("weight_map")
        shards = sorted(set(map(str, index.values()))) if isinstance(index, dict) else []
        for shard in shards:
            if shard not in found or "/" in shard:
                raise DownloadError(
                    "{name} is not complete: {file}, which {index} names, is not beside it",
                    name=name,
                    file=shard,
                    index=folder.INDEX,
                )
        return (folder.INDEX, *shards)
    other = next((file for file in sorted(found) if file.endswith((".bin", ".h5", ".msgpack", ".gguf", ".pt"))), None)
    advice = say(
        "only safetensors are read. Look among the pull requests on its page for one that adds safetensors, and import "
        "{name}@refs/pr/NUMBER",
        name=name,
    )
    if other is None:
        raise DownloadError("{name} has no {weights}: {advice}", name=name, weights=folder.WEIGHTS, advice=advice)
    raise DownloadError(
        "{name} has no {weights}, only {other}, which is refused because reading it can run code: {advice}",
        name=name,
        weights=folder.WEIGHTS,
        other=other,
        advice=advice,
    )


def _download_all(
    remote: Remote, model: Path, progress: Callable[[int, int], None], cancelled: Callable[[], bool]
) -> None:
    """Download what is not there yet; raises DownloadError."""
    import huggingface_hub as hub

    def arrived() -> int:
        return sum(path.stat().st_size for path in model.iterdir())

    try:
        here = arrived()
        free = shutil.disk_usage(model).free
        if remote.bytes - here > free:
            raise DownloadError(
                "the disk is too full for {name}: {missing} are missing, {free} are free in {folder}",
                name=remote.name,
                missing=size(remote.bytes - here),
                free=size(free),
                folder=model.parents[1],
            )
        progress(here, remote.bytes)
        for file in remote.files:
            path = model / file.name
            if path.exists():
                continue
            cached = hub.try_to_load_from_cache(remote.name, file.name, revision=remote.revision)
            if isinstance(cached, str):
                path.symlink_to(cached)
            else:
                _download(remote, file, path, lambda: progress(arrived(), remote.bytes), cancelled)
            progress(arrived(), remote.bytes)
    except OSError as error:
        raise DownloadError("{name} cannot be written: {reason}", name=remote.name, reason=cause(error)) from None


def _download(remote: Remote, file: File, path: Path, moved: Callable[[], None], cancelled: Callable[[], bool]) -> None:
    """Download a file, from where an earlier attempt broke off; raises DownloadError."""
    from huggingface_hub.errors import HfHubHTTPError, HTTPError, OfflineModeIsEnabled

    part = path.with_name(f"{path.name}.part")
    part.touch()
    failures = 0
    while part.stat().st_size < file.size:
        before = part.stat().st_size
        try:
            with closing(_stream(remote, file, part)) as pieces:
                for _ in pieces:
                    moved()
                    if cancelled():
                        raise DownloadError("the download of {name} was cancelled", name=remote.name)
            broken = say("the connection was closed")
        except (HfHubHTTPError, OfflineModeIsEnabled) as error:
            raise DownloadError(_reason(error, remote.name, remote.revision)) from None
        except HTTPError as error:
            broken = str(error) or type(error).__name__
        failures = 0 if part.stat().st_size > before else failures + 1
        if failures == TRIES:
            raise DownloadError(
                "the download of {name} broke off at {file} ({broken}). What has arrived is kept: try "
                "again to go on from there",
                name=remote.name,
                file=file.name,
                broken=broken,
            )
        if part.stat().st_size < file.size:
            time.sleep(PAUSE * 2**failures)
    with part.open("rb") as content:
        right = part.stat().st_size == file.size
        right = right and file.sha256 in (None, file_digest(content, "sha256").hexdigest())
    if not right:
        part.unlink()
        raise DownloadError("{file} of {name} arrived damaged: download it again", file=file.name, name=remote.name)
    part.replace(path)


def _stream(remote: Remote, file: File, part: Path) -> Generator[None, None, None]:
    """Append to `part` what is missing of a file; yields after each piece."""
    from huggingface_hub import constants, hf_hub_url
    from huggingface_hub.utils import build_hf_headers, hf_raise_for_status, http_stream_backoff

    begun = part.stat().st_size
    url = hf_hub_url(remote.name, file.name, revision=remote.revision, endpoint=remote.endpoint)
    headers = {**build_hf_headers(), "Accept-Encoding": "identity", "Range": f"bytes={begun}-"}
    timeout = constants.HF_HUB_DOWNLOAD_TIMEOUT
    with http_stream_backoff("GET", url, headers=headers, timeout=timeout, retry_on_exceptions=()) as response:
        hf_raise_for_status(response)
        with part.open("ab") as out:
            if begun and response.status_code != 206:  # the server does not know ranges
                out.truncate(0)
            for piece in response.iter_bytes():
                out.write(piece)
                yield


@contextmanager
def _in_words(name: str, revision: str | None) -> Iterator[None]:
    """Turn what the hub answers, or that it does not, into a DownloadError."""
    from huggingface_hub.errors import HTTPError

    try:
        yield
    except (HTTPError, OSError, ValueError) as error:
        raise DownloadError(_reason(error, name, revision)) from None


def _reason(error: Exception, name: str, revision: str | None) -> str:
    from huggingface_hub import constants, errors

    page = f"{constants.ENDPOINT}/{name}"
    if isinstance(error, errors.OfflineModeIsEnabled):
        return say(
            "{name} is no folder, and HF_HUB_OFFLINE=1 forbids to ask the hub for it: unset it, or name a folder",
            name=name,
        )
    if isinstance(error, errors.GatedRepoError):
        return say(
            "{name} is only for those who accept its terms: do so at {page}, then log in with `hf auth login`",
            name=name,
            page=page,
        )
    if isinstance(error, errors.RepositoryNotFoundError):
        return say(
            "there is no model {name!r} on the hub, and no folder of this name here. "
            "If it is a private one of yours, log in with `hf auth login`",
            name=name,
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return say(
            "{name} has no revision {revision!r}: name a branch, a tag, a commit, or refs/pr/NUMBER of {page}",
            name=name,
            revision=revision,
            page=page,
        )
    if isinstance(error, errors.DisabledRepoError):
        return say("the hub has disabled {name}", name=name)
    if isinstance(error, errors.HfHubHTTPError):
        return say(
            "the hub answers {status} for {name}: try again later",
            status=error.response.status_code,
            name=name,
        )
    return say(
        "the hub cannot be reached ({address}: {why}). Check the network, or name a folder",
        address=constants.ENDPOINT,
        why=error.__cause__ or error,
    )
