"""Values in texts: the kind, the value and the unit of each, and what makes one no exact value."""

from decimal import Decimal

import pytest

from steelyard.lexicon import lexicon
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise
from steelyard.text.values import CHINESE, is_measure, same_measure


def found(text):
    """The values of a text, each as its kind, value and unit."""
    return [(value.kind, str(value.value), value.unit) for value in mentions(normalise(text))]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("见https://www.example.org/2020/35000/。", "address", "example.org/2020/35000"),
        ("www.example.org/a", "address", "example.org/a"),
        ("write to service@example.org", "address", "service@example.org"),
        ("服务器是192.168.0.1:8080", "address", "192.168.0.1:8080"),
        ("改config.yaml即可", "address", "config.yaml"),
        ("edit /etc/nginx/nginx.conf", "address", "/etc/nginx/nginx.conf"),
        ("使用--max-time=30参数", "address", "--max-time=30参数"),
        ("v2.1.0", "version", "2.1.0"),
        ("Python 3.12", "version", "3.12"),
        ("版本号为3.12", "version", "3.12"),
        ("以3比2取胜", "score", "3:2"),
        ("三比二", "score", "3:2"),
        ("以3：5落败", "score", "3:5"),
        ("25:15获胜", "score", "25:15"),
        ("15:30开始", "time", "1530"),
    ],
)
def test_values_that_are_texts(text, kind, value):
    assert found(text) == [(kind, value, "")]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("10 GB", "10", "gb"),
        ("512MB", "512", "mb"),
        ("1.5GB", "1.5", "gb"),
        ("30ms", "30", "ms"),
        ("5次/秒", "5", "次/秒"),
        ("每秒处理100次", "100", "次/秒"),
        ("100 requests per second", "100", "requests/second"),
        ("60 km/h", "60", "km/h"),
        ("3次/月", "3", "次/月"),
        ("20秒", "20", "秒"),
        ("150磅", "150", "磅"),
        ("37.5℃", "37.5", "℃"),
        ("30度", "30", "度"),
        ("得了3分", "3", "分"),
        ("两具", "2", "具"),
    ],
)
def test_numbers_with_a_unit(text, value, unit):
    assert found(text) == [("count", value, unit)]


@pytest.mark.parametrize(
    ("text", "value", "unit"), [("第17届", "17", "届"), ("第十五名", "15", "名"), ("第二季度", "2", "季度")]
)
def test_ordinals(text, value, unit):
    assert found(text) == [("ordinal", value, unit)]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("方案1：3次", ["number", "count"]),
        ("第5.2.1条", ["ordinal"]),
        ("Section 3.12", ["ordinal"]),
        ("1.234.567,89 €", ["money"]),
        ("2020.8.30", ["date"]),
        ("5G和3D", ["serial", "serial"]),
        ("十分重要", ["number"]),
        ("三分之一", ["number", "number"]),
        ("他走了--后来", []),
        ("It ended.In May", []),
    ],
)
def test_what_is_no_technical_value(text, kinds):
    assert [kind for kind, _, _ in found(text)] == kinds


@pytest.mark.parametrize(
    ("text", "loose"),
    [
        ("3万余元", "inexact"),
        ("三四千元", "range"),
        ("不到3万元", "bound"),
        ("in excess of RMB 30,000", "bound"),
        ("每月3000元", "rate"),
        ("3万至5万元", "range"),
        ("2020年8月底", "vague"),
        ("2020年8月30日之前", "bound"),
        ("农历七月十二", "lunar"),
        ("2020年", "coarse"),
        ("42000元整", ""),
    ],
)
def test_why_a_value_is_not_exact(text, loose):
    assert loose in [value.loose for value in mentions(normalise(text))]


@pytest.mark.parametrize(
    ("text", "value"), [("八十元五角", "80.5"), ("五块五", "5.5"), ("4.2万元", "42000"), ("四万二千元整", "42000")]
)
def test_the_parts_of_a_sum_are_added(text, value):
    assert [mention.value for mention in mentions(text)] == [Decimal(value)]


def test_units_and_rates_are_compared_by_class():
    assert same_measure("公斤", "kg")
    assert same_measure("次/秒", "回/second")
    assert same_measure("次/秒", "次")
    assert not same_measure("次/秒", "次/分钟")
    assert not same_measure("gb", "mb")
    assert not same_measure("个", "秒")
    assert same_measure("个", "人")
    assert is_measure("次/秒")
    assert not is_measure("of")


def test_the_class_of_numerals_has_all_of_them():
    numeral = lexicon("values")["numeral"]
    assert all(numeral.fullmatch(character) for character in CHINESE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1百01", ("number", "101", "")),
        ("二0一八年七月四日", ("date", "Day(year=2018, month=7, day=4)", "")),
        ("二千零二十四年二月二十九日", ("date", "Day(year=2024, month=2, day=29)", "")),
        ("一百一十三年", ("count", "113", "年")),
        ("13/31/2018", ("date", "None", "")),
        ("RMB3,000", ("money", "3000", "CNY")),
        ("CHF 1'234.50", ("money", "1234.50", "CHF")),
        ("one two three four", ("number", "None", "")),
        ("twenty and thirty days", ("count", "None", "days")),
        ("five hundred and twenty-one thousand", ("number", "521000", "")),
    ],
)
def test_values_that_were_read_wrongly(text, expected):
    assert found(text) == [expected]


def test_a_day_before_the_month_is_no_other_day():
    assert found("32 DEC 10")[0] == ("date", "None", "")
