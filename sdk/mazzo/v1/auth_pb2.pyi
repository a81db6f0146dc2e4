import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TokenRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOKEN_ROLE_UNSPECIFIED: _ClassVar[TokenRole]
    TOKEN_ROLE_ORGANISER: _ClassVar[TokenRole]
    TOKEN_ROLE_AUTHOR: _ClassVar[TokenRole]
    TOKEN_ROLE_BOT: _ClassVar[TokenRole]
TOKEN_ROLE_UNSPECIFIED: TokenRole
TOKEN_ROLE_ORGANISER: TokenRole
TOKEN_ROLE_AUTHOR: TokenRole
TOKEN_ROLE_BOT: TokenRole

class CreateTokenRequest(_message.Message):
    __slots__ = ("role", "subject", "label", "expire_days")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_DAYS_FIELD_NUMBER: _ClassVar[int]
    role: TokenRole
    subject: str
    label: str
    expire_days: float
    def __init__(self, role: _Optional[_Union[TokenRole, str]] = ..., subject: _Optional[str] = ..., label: _Optional[str] = ..., expire_days: _Optional[float] = ...) -> None: ...

class CreateTokenResponse(_message.Message):
    __slots__ = ("text", "token")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    text: str
    token: AccessToken
    def __init__(self, text: _Optional[str] = ..., token: _Optional[_Union[AccessToken, _Mapping]] = ...) -> None: ...

class GetCallerRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetCallerResponse(_message.Message):
    __slots__ = ("role", "subject")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    role: TokenRole
    subject: str
    def __init__(self, role: _Optional[_Union[TokenRole, str]] = ..., subject: _Optional[str] = ...) -> None: ...

class ListTokensRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTokensResponse(_message.Message):
    __slots__ = ("tokens", "next_page_token")
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tokens: _containers.RepeatedCompositeFieldContainer[AccessToken]
    next_page_token: str
    def __init__(self, tokens: _Optional[_Iterable[_Union[AccessToken, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RevokeTokenRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class RevokeTokenResponse(_message.Message):
    __slots__ = ("token",)
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    token: AccessToken
    def __init__(self, token: _Optional[_Union[AccessToken, _Mapping]] = ...) -> None: ...

class AccessToken(_message.Message):
    __slots__ = ("id", "role", "subject", "label", "create_time", "revoked", "expire_time", "last_use_time", "expired")
    ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    LAST_USE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRED_FIELD_NUMBER: _ClassVar[int]
    id: str
    role: TokenRole
    subject: str
    label: str
    create_time: _timestamp_pb2.Timestamp
    revoked: bool
    expire_time: _timestamp_pb2.Timestamp
    last_use_time: _timestamp_pb2.Timestamp
    expired: bool
    def __init__(self, id: _Optional[str] = ..., role: _Optional[_Union[TokenRole, str]] = ..., subject: _Optional[str] = ..., label: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revoked: bool = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_use_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expired: bool = ...) -> None: ...
