"""Links without the name of a page: `/?example=cat-sitter` is about Summarize, `/?follow=K7PR3X` about a class.

The server sends the browser on before the app begins, so that its history has one entry, and Back leads out of it.
"""

from contextlib import suppress
from urllib.parse import parse_qsl, urlencode

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import FollowingError
from core.lessons.following import CLASSES, read_code
from pages.shared.guard import server_access
from pages.shared.place import declarations
from pages.shared.teaching.classroom import FOLLOW

PAGE = "summarize"


def target(query: str) -> str | None:
    """Return where a link to the first page leads; None: to that page.

    Args:
        query: of the link; it leads to what a class sees if it has the code of one, and to Summarize if it names
            anything that a link to Summarize may say.
    """
    link = dict(parse_qsl(query, keep_blank_values=True, max_num_fields=None))
    if FOLLOW in link:
        with suppress(FollowingError):  # the app says why
            code = read_code(link[FOLLOW])
            scene = CLASSES.look(code).scene
            return f"{scene.page}?{urlencode({**scene.link, FOLLOW: code})}" if scene.page else None
    return (
        f"{PAGE}?{query}" if link.keys() & (declarations.names(PAGE) - declarations.names(declarations.FIRST)) else None
    )


class Redirects:
    """Redirect links without the name of a page.

    Args:
        app: the app behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.root = server_access.root()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with status 307 where it is meant for another page."""
        if scope["type"] == "http" and scope["path"] in (self.root, self.root[:-1]):
            destination = target(scope["query_string"].decode("latin-1"))
            if destination:
                await RedirectResponse(self.root + destination)(scope, receive, send)
                return
        await self.app(scope, receive, send)
