"""The Python client of Muniment, a permission service with a complete history.

>>> from muniment import Client
>>> with Client("http://127.0.0.1:8080", store="default", token="…") as client:
...     client.check("user:fay", "read", "doc:payroll").allowed
True
"""

from . import audits, changes, descriptions, errors, models, operations
from ._exchange import VERSION as __version__
from ._exchange import RetryPolicy
from .client import AsyncClient, AsyncItems, Client, Items
from .errors import MunimentError, ProblemError, ResponseError, TransportError
from .feeds import AsyncFeed, Feed

__all__ = [
    "AsyncClient",
    "AsyncFeed",
    "AsyncItems",
    "Client",
    "Feed",
    "Items",
    "MunimentError",
    "ProblemError",
    "ResponseError",
    "RetryPolicy",
    "TransportError",
    "__version__",
    "audits",
    "changes",
    "descriptions",
    "errors",
    "models",
    "operations",
]
