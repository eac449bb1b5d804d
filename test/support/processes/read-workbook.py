"""Reads a workbook with openpyxl, and writes what it finds as JSON."""

import json
import sys
import warnings

from openpyxl import load_workbook

with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    workbook = load_workbook(sys.argv[1])
sheets = {
    sheet.title: {
        "cells": {cell.coordinate: cell.value for row in sheet.iter_rows() for cell in row},
        "filter": sheet.auto_filter.ref,
        "frozen": sheet.freeze_panes,
    }
    for sheet in workbook
}
print(
    json.dumps(
        {"sheets": sheets, "styles": workbook.named_styles, "warnings": [str(each.message) for each in warned]},
        default=str,
    )
)
