"""Results for programs: rows of spreadsheets and data frames, and JSON."""

from mazzo_server.results.tables.csv_lines import Cell, format_csv
from mazzo_server.results.tables.plain_json import to_json
from mazzo_server.results.tables.result_rows import ResultRow, make_result_rows

__all__ = ["Cell", "ResultRow", "format_csv", "make_result_rows", "to_json"]
