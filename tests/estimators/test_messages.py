"""Errors of estimators name arguments, in all that is read of them."""

from __future__ import annotations

import pytest

from weft.errors import FormatError
from weft.estimators.messages import told_in_python


def test_the_message_of_a_format_error_names_arguments_too() -> None:
    with pytest.raises(FormatError) as caught, told_in_python():
        raise FormatError("leave --dev out", path="a.tagged", line=2)
    assert str(caught.value) == "a.tagged:2: leave X_dev out"
    assert caught.value.message == "leave X_dev out"
