import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HookFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOOK_FORMAT_UNSPECIFIED: _ClassVar[HookFormat]
    HOOK_FORMAT_JSON: _ClassVar[HookFormat]
    HOOK_FORMAT_SLACK: _ClassVar[HookFormat]
HOOK_FORMAT_UNSPECIFIED: HookFormat
HOOK_FORMAT_JSON: HookFormat
HOOK_FORMAT_SLACK: HookFormat

class AddHookRequest(_message.Message):
    __slots__ = ("url", "events", "format", "label")
    URL_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    url: str
    events: _containers.RepeatedScalarFieldContainer[str]
    format: HookFormat
    label: str
    def __init__(self, url: _Optional[str] = ..., events: _Optional[_Iterable[str]] = ..., format: _Optional[_Union[HookFormat, str]] = ..., label: _Optional[str] = ...) -> None: ...

class AddHookResponse(_message.Message):
    __slots__ = ("secret", "hook")
    SECRET_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    secret: str
    hook: Hook
    def __init__(self, secret: _Optional[str] = ..., hook: _Optional[_Union[Hook, _Mapping]] = ...) -> None: ...

class ListHooksRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListHooksResponse(_message.Message):
    __slots__ = ("hooks", "next_page_token")
    HOOKS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    hooks: _containers.RepeatedCompositeFieldContainer[Hook]
    next_page_token: str
    def __init__(self, hooks: _Optional[_Iterable[_Union[Hook, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetHookRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class GetHookResponse(_message.Message):
    __slots__ = ("hook",)
    HOOK_FIELD_NUMBER: _ClassVar[int]
    hook: Hook
    def __init__(self, hook: _Optional[_Union[Hook, _Mapping]] = ...) -> None: ...

class RemoveHookRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class RemoveHookResponse(_message.Message):
    __slots__ = ("hook",)
    HOOK_FIELD_NUMBER: _ClassVar[int]
    hook: Hook
    def __init__(self, hook: _Optional[_Union[Hook, _Mapping]] = ...) -> None: ...

class TestHookRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class TestHookResponse(_message.Message):
    __slots__ = ("status", "error", "seconds")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    status: int
    error: str
    seconds: float
    def __init__(self, status: _Optional[int] = ..., error: _Optional[str] = ..., seconds: _Optional[float] = ...) -> None: ...

class Hook(_message.Message):
    __slots__ = ("id", "place", "events", "format", "label", "create_time", "waiting", "delivered", "dropped", "delivery_time", "failing_since", "error", "disabled")
    ID_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    DELIVERED_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_TIME_FIELD_NUMBER: _ClassVar[int]
    FAILING_SINCE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    DISABLED_FIELD_NUMBER: _ClassVar[int]
    id: str
    place: str
    events: _containers.RepeatedScalarFieldContainer[str]
    format: HookFormat
    label: str
    create_time: _timestamp_pb2.Timestamp
    waiting: int
    delivered: int
    dropped: int
    delivery_time: _timestamp_pb2.Timestamp
    failing_since: _timestamp_pb2.Timestamp
    error: str
    disabled: bool
    def __init__(self, id: _Optional[str] = ..., place: _Optional[str] = ..., events: _Optional[_Iterable[str]] = ..., format: _Optional[_Union[HookFormat, str]] = ..., label: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., waiting: _Optional[int] = ..., delivered: _Optional[int] = ..., dropped: _Optional[int] = ..., delivery_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., failing_since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., error: _Optional[str] = ..., disabled: bool = ...) -> None: ...
