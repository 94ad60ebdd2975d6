"""A session at the Store Router or the Cloud Hub, for clients that openapi-python-client generated.

It logs in, renews its tokens, gives every change an idempotency key, and repeats requests that the server asks it to
repeat. It is the transport of a generated client, and sets the token of each request:
`AuthenticatedClient(base_url=url, token="", httpx_args={"transport": Session(url, user, password)})`.
A program at head office has an API key instead of a password: `Session(url, api_key=key)`.
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import httpx

ATTEMPTS = 5
"""Requests that failed on the way, or have no answer yet, are sent this many times."""
MARGIN_S = 60
"""A token is renewed this many seconds before it expires."""


class Session(httpx.BaseTransport):
    """Transport of a generated client."""

    def __init__(
        self,
        base_url: str,
        username: str = "",
        password: str = "",
        register_id: str | None = None,
        api_key: str | None = None,
    ) -> None:
        self._base_url = base_url
        self._api_key = api_key
        self._register_id = register_id
        self._inner = httpx.HTTPTransport()
        self._renewal = threading.Lock()
        if api_key is None:
            self._take("/api/auth/login", {"username": username, "password": password})

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["Authorization"] = f"Bearer {self._api_key or self._valid_token()}"
        if self._register_id is not None:
            request.headers["X-Register-Id"] = self._register_id
        if request.method != "GET":
            request.headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
        return self._repeated(request)

    def _valid_token(self) -> str:
        # A refresh token works once, so one request renews for all.
        with self._renewal:
            if time.monotonic() > self._expires_at - MARGIN_S:
                self._take("/api/auth/refresh", {"refresh_token": self._refresh_token})
            return self._token

    def _repeated(self, request: httpx.Request) -> httpx.Response:
        """Sends a request until it has its final answer. Its key makes that safe."""
        for attempt in range(1, ATTEMPTS):
            try:
                response = self._inner.handle_request(request)
            except httpx.TransportError:
                time.sleep(attempt)
                continue
            if not is_temporary(response):
                return response
            response.close()
            time.sleep(float(response.headers.get("Retry-After", attempt)))
        return self._inner.handle_request(request)

    def _take(self, path: str, body: dict[str, str]) -> None:
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        url = self._base_url + path
        response = self._repeated(httpx.Request("POST", url, headers=headers, content=json.dumps(body)))
        answer: dict[str, Any] = json.loads(response.read())
        if not answer["success"]:
            raise RuntimeError(f"{path}: {answer['error']['message']}")
        data: dict[str, Any] = answer["data"]
        self._token: str = data["token"]
        self._refresh_token: str = data["refresh_token"]
        self._expires_at: float = time.monotonic() + data["expires_in"]


def is_temporary(response: httpx.Response) -> bool:
    """Whether the server is busy, or still decides an earlier request with the same key."""
    if response.status_code == 409:
        answer: dict[str, Any] = json.loads(response.read())
        return bool(answer["error"]["code"] == "request_in_progress")
    return response.status_code == 503


Data = TypeVar("Data", covariant=True)
Item = TypeVar("Item")


@runtime_checkable
class HasData(Protocol[Data]):
    """A success, as the generated models have it."""

    @property
    def data(self) -> Data: ...


class IsError(Protocol):
    """The error of a failure, as the generated models have it."""

    @property
    def code(self) -> object: ...

    @property
    def message(self) -> str: ...


class HasError(Protocol):
    """A failure, as the generated models have it."""

    @property
    def error(self) -> IsError: ...


def expect(answer: HasData[Item] | HasError | None) -> Item:
    """The data of a success; a failure is raised with its code."""
    if isinstance(answer, HasData):
        return answer.data
    raise RuntimeError("no documented answer" if answer is None else f"{answer.error.code}: {answer.error.message}")


class Page(Protocol[Data]):
    """A page of a list, as the generated models have it."""

    @property
    def items(self) -> Sequence[Data]: ...

    @property
    def next_cursor(self) -> object: ...


def items(load: Callable[[str | None], Page[Item]]) -> Iterator[Item]:
    """All items of a list, page by page; `load` sends the request with the cursor."""
    cursor: str | None = None
    while True:
        page = load(cursor)
        yield from page.items
        if not isinstance(page.next_cursor, str):
            return
        cursor = page.next_cursor
