"""Converts XLSForms with pyxform. Prints one line of JSON per file: null, or why pyxform refuses the form."""

import json
import sys

from pyxform.xls2xform import convert

for path in sys.stdin.read().splitlines():
    try:
        convert(path, validate=False)
        print("null")
    except Exception as error:  # pyxform raises errors of many kinds
        print(json.dumps(f"{type(error).__name__}: {error}"))
