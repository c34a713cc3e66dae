"""``/push/TOKEN``: where WebSub hubs verify our subscriptions and tell us of news. The token is the secret."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import PlainTextResponse, Response
from starlette.exceptions import HTTPException

from afresh.doors.rest.incoming_gate import NO_SUBSCRIPTION, PUSH_PATH
from afresh.doors.rest.params import Context, Text

router = APIRouter()

Token = Annotated[str, Path(min_length=16, max_length=100, pattern=r"^[A-Za-z0-9_-]+$")]


@router.get(PUSH_PATH + "{token}", include_in_schema=False)
async def verify_subscription(
    context: Context,
    token: Token,
    mode: Annotated[Text, Query(alias="hub.mode")] = "",
    topic: Annotated[Text, Query(alias="hub.topic")] = "",
    challenge: Annotated[Text, Query(alias="hub.challenge")] = "",
    lease: Annotated[float | None, Query(alias="hub.lease_seconds", allow_inf_nan=False)] = None,
) -> Response:
    """The hub asks whether we meant it; the challenge, echoed, says yes (WebSub §5.3)."""
    receiver = context.pushes
    if receiver is None or not await context.run(
        receiver.verify, token, mode=mode, topic=topic, lease=lease, now=context.now()
    ):
        raise HTTPException(404, NO_SUBSCRIPTION)
    return PlainTextResponse(challenge)


@router.post(PUSH_PATH + "{token}", include_in_schema=False)
async def receive_push(context: Context, request: Request, token: Token) -> Response:
    """Something was published. A wrong signature is answered like a right one, and ignored (WebSub §8)."""
    receiver = context.pushes
    body = await request.body()
    signature = request.headers.get("x-hub-signature", "")[:300]
    taken = None
    if receiver is not None:
        taken = await context.run(receiver.receive, token, signature=signature, body=body, now=context.now())
    if taken is None:
        raise HTTPException(410, NO_SUBSCRIPTION)
    return Response(status_code=202)
