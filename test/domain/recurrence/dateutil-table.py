"""Writes dateutil.json: what python-dateutil makes of recurrence rules on the clocks of many zones.

Run once, on Debian 12 with the packages python3-dateutil and tzdata:

    python3 test/domain/recurrence/dateutil-table.py > test/domain/recurrence/dateutil.json

Each case is [rule, start, zone, dates]. A date is followed by the offset of the clocks from UTC in minutes, and by
">" where the clocks skip the time of day, or "~" where they show it twice. The offset is that of PEP 495 with
fold=0: before the change in both cases. Dates after 2025 have none, for governments change their clocks.
"""

import json
from datetime import datetime
from itertools import islice
from zoneinfo import ZoneInfo

import dateutil
from dateutil import tz
from dateutil.rrule import rrulestr

MAX_DATES = 12

# A start shortly before the clocks of the zone change, at the time of day that they skip or show twice.
PLACES = [
    ("America/St_Johns", "2008-03-08T00:01"),
    ("America/St_Johns", "2024-03-09T02:30"),
    ("Australia/Lord_Howe", "2023-09-30T02:15"),
    ("Australia/Lord_Howe", "2024-04-06T01:45"),
    ("Africa/Casablanca", "2023-04-21T02:30"),
    ("Africa/Casablanca", "2024-03-08T02:30"),
    ("Pacific/Apia", "2011-12-28T09:00"),
    ("Europe/Athens", "2024-03-29T03:30"),
    ("Europe/Athens", "2024-10-25T03:00"),
    ("America/Denver", "2023-03-10T02:00"),
    ("America/Denver", "2023-11-03T01:30"),
    ("Asia/Kathmandu", "1985-12-30T00:10"),
    ("America/Sao_Paulo", "2017-10-13T00:00"),
    ("Africa/Cairo", "2023-04-26T00:30"),
    ("Europe/Dublin", "1996-02-29T01:15"),
    ("Antarctica/Troll", "2019-03-29T02:45"),
    ("UTC", "2096-01-31T23:59"),
    ("Asia/Tokyo", "2024-02-29T08:00"),
]

RULES = [
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=DAILY;COUNT=5",
    "FREQ=DAILY;UNTIL={soon}",
    "FREQ=DAILY;BYDAY=MO,WE,FR",
    "FREQ=DAILY;BYMONTH=1,3,10;INTERVAL=2",
    "FREQ=DAILY;BYMONTHDAY=-1,1",
    "FREQ=DAILY;BYMONTHDAY=30;BYDAY=SU,SA",
    "FREQ=WEEKLY",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;WKST=SU",
    "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,SU;WKST=TH",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=WEEKLY;BYDAY=SA,SU,MO;BYSETPOS=1,2;WKST=SA",
    "FREQ=WEEKLY;BYMONTH=3,4;BYDAY=SA,SU;COUNT=9",
    "FREQ=WEEKLY;INTERVAL=53",
    "FREQ=WEEKLY;BYDAY=SU;UNTIL={later}",
    "FREQ=MONTHLY",
    "FREQ=MONTHLY;INTERVAL=5",
    "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=MONTHLY;BYMONTHDAY=29,30,31;BYMONTH=2,4",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=MONTHLY;BYMONTHDAY=-31,-2,15",
    "FREQ=MONTHLY;BYDAY=1MO",
    "FREQ=MONTHLY;BYDAY=-1FR,2TU",
    "FREQ=MONTHLY;BYDAY=5SU",
    "FREQ=MONTHLY;BYDAY=-5SA;INTERVAL=2",
    "FREQ=MONTHLY;BYDAY=SU",
    "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
    "FREQ=MONTHLY;BYDAY=SU;BYMONTHDAY=8,9,10,11,12,13,14;BYMONTH=3",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=2,-2;COUNT=7",
    "FREQ=MONTHLY;BYMONTHDAY=1,-1;BYSETPOS=1;INTERVAL=7",
    "FREQ=MONTHLY;COUNT=6;BYMONTHDAY=30",
    "FREQ=MONTHLY;UNTIL={years}",
    "FREQ=YEARLY",
    "FREQ=YEARLY;INTERVAL=4",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SA",
    "FREQ=YEARLY;BYMONTH=2,12;BYMONTHDAY=-1",
    "FREQ=YEARLY;BYMONTH=3,10",
    "FREQ=YEARLY;BYDAY=1MO",
    "FREQ=YEARLY;BYDAY=20SU,-1FR",
    "FREQ=YEARLY;BYDAY=53TH",
    "FREQ=YEARLY;BYDAY=2SU,-1SU;BYMONTH=3,10,11",
    "FREQ=YEARLY;BYDAY=SU;BYMONTH=4",
    "FREQ=YEARLY;BYMONTHDAY=31",
    "FREQ=YEARLY;BYMONTHDAY=-30;BYMONTH=1,2,3",
    "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,100,-1",
    "FREQ=YEARLY;BYMONTH=6;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-3;COUNT=4",
    "FREQ=YEARLY;INTERVAL=3;BYMONTH=1;BYDAY=-1SU;WKST=WE",
    "FREQ=YEARLY;UNTIL={years}",
]

DAYS = {"soon": 3, "later": 40, "years": 600}


def rule_of(rule, start, zone):
    """UNTIL is the moment of a possible occurrence, which belongs to the rule."""
    for name, days in DAYS.items():
        if "{" + name + "}" in rule:
            naive = datetime.fromordinal(start.toordinal() + days).replace(hour=start.hour, minute=start.minute)
            until = naive.replace(tzinfo=zone).astimezone(tz.UTC)
            return rule.replace("{" + name + "}", until.strftime("%Y%m%dT%H%M%SZ"))
    return rule


def end_of(start):
    """The service follows a rule for 100 years."""
    leap_day = (start.month, start.day) == (2, 29) and (start.year + 100) % 400 != 0
    return start.replace(year=start.year + 100, **({"month": 3, "day": 1} if leap_day else {}))


def occurrence(moment, zone):
    naive = moment.replace(tzinfo=None)
    if naive.year > 2025:
        return f"{naive:%Y-%m-%d}"
    minutes = int(moment.utcoffset().total_seconds() // 60)
    sign = (
        ">" if not tz.datetime_exists(naive, zone) else "~" if tz.datetime_ambiguous(naive, zone) else ""
    )
    return f"{naive:%Y-%m-%d}{minutes:+d}{sign}"


def cases():
    for position, template in enumerate(RULES):
        # Every rule meets four places, and every place many rules.
        for step in (0, 5, 7, 11):
            name, text = PLACES[(position + step) % len(PLACES)]
            zone = ZoneInfo(name)
            start = datetime.fromisoformat(text)
            rule = rule_of(template, start, zone)
            moments = islice(rrulestr(rule, dtstart=start.replace(tzinfo=zone)), MAX_DATES)
            found = (moment for moment in moments if moment.replace(tzinfo=None) <= end_of(start))
            yield [rule, text, name, " ".join(occurrence(moment, zone) for moment in found)]


with open("/usr/share/zoneinfo/tzdata.zi", encoding="ascii") as data:
    version = data.readline().split()[-1]

rows = ",\n".join("    " + json.dumps(case) for case in cases())
print(
    f'{{\n  "dateutil": "{dateutil.__version__}",\n  "tzdata": "{version}",\n'
    f'  "max_dates": {MAX_DATES},\n  "cases": [\n{rows}\n  ]\n}}'
)
