"""Links without the name of a page, such as `/?example=cat-sitter`: they are about Summarize.

The server sends the browser on before the app begins, so that its history has one entry, and Back leads out of it.
"""

from urllib.parse import parse_qsl

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.shared.frame import address, serving

PAGE = "summarize"


def target(query: str) -> str | None:
    """Return where a link to the first page leads; None: to that page.

    Args:
        query: of the link; it leads to Summarize if it names anything that a link to Summarize may say.
    """
    named = {name for name, _ in parse_qsl(query, keep_blank_values=True, max_num_fields=None)}
    return f"{PAGE}?{query}" if named & address.names(PAGE) else None


class Moved:
    """Redirect links without the name of a page to Summarize.

    Args:
        app: the app behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.root = serving.root()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with status 307 where it is meant for Summarize."""
        if scope["type"] == "http" and scope["path"] in (self.root, self.root[:-1]):
            found = target(scope["query_string"].decode("latin-1"))
            if found:
                await RedirectResponse(self.root + found)(scope, receive, send)
                return
        await self.app(scope, receive, send)
