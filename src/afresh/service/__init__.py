"""The REST door: ``create_app`` makes an ASGI app from a running afresh."""

from afresh.service.app import create_app
from afresh.service.auth import AuthSettings, require_safe_bind
from afresh.service.context import ServiceContext
from afresh.service.openapi import openapi_document, openapi_text

__all__ = ["AuthSettings", "ServiceContext", "create_app", "openapi_document", "openapi_text", "require_safe_bind"]
