"""The same answer in another way of writing has the same verdict; a changed digit never keeps the credit."""

from datetime import date
from decimal import Decimal

from hypothesis import assume, given
from hypothesis import strategies as st
from properties import examples

from steelyard.legal import contains_quote, detect_abstention, find_invented, judge_fact
from steelyard.text.normalisation import normalise, normalise_with_offsets
from steelyard.text.values import numerals

QUESTION = "他一共收了多少钱？"
FULL_WIDTH = str.maketrans("0123456789,.-", "０１２３４５６７８９，．－")
TRADITIONAL = str.maketrans("万亿圆贰陆", "萬億圓貳陸")
CAPITALS = str.maketrans("〇零一二三四五六七八九十百千", "零零壹贰叁肆伍陆柒捌玖拾佰仟")

amounts = st.integers(1, 99_999_999)


def chinese(number: int) -> str:
    """A whole number in Chinese numerals, written as schoolbooks have it."""
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        rest = "" if not low else ("零" if low < 1000 else "") + chinese(low)
        return f"{chinese(high)}万{rest}"
    said, pending = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, unit)
        if digit:
            said += ("零" if pending and said else "") + "零一二三四五六七八九"[digit] + name
        pending = bool(said) and not digit
    return said


@given(amounts)
def test_chinese_numerals_read_back(number):
    for text in (chinese(number), chinese(number).translate(CAPITALS), f"{number:,}", str(number)):
        assert [each.value for each in numerals(text)] == [Decimal(number)]


@given(amounts, st.sampled_from(["{}元", "一共{}元。", "人民币{}元", "答案是：{}元", "根据第3页，他一共收了{}元。"]))
@examples(60)
def test_an_amount_in_any_notation_is_one_amount(number, frame):
    forms = [
        str(number),
        f"{number:,}",
        str(number).translate(FULL_WIDTH),
        chinese(number),
        chinese(number).translate(CAPITALS),
    ]
    forms += [chinese(number).translate(TRADITIONAL), f"{number}.00", f" {number} "]
    for form in forms:
        verdict = judge_fact({"amount_total": number}, frame.format(form), question=QUESTION)
        assert verdict.correct, (frame.format(form), verdict.reason)


@given(amounts, st.data())
@examples(60)
def test_a_changed_digit_never_keeps_the_credit(number, data):
    digits = list(str(number))
    place = data.draw(st.integers(0, len(digits) - 1))
    digits[place] = data.draw(st.sampled_from([each for each in "0123456789" if each != digits[place]]))
    changed = int("".join(digits))
    assume(changed != number)
    for form in (f"{changed}元", f"{changed:,}元", f"{chinese(changed)}元" if changed else "0元"):
        assert not judge_fact({"amount_total": number}, form, question=QUESTION).correct


days = st.dates(date(1950, 1, 1), date(2049, 12, 31))


def forms_of(day: date) -> list[str]:
    year = "".join("〇一二三四五六七八九"[int(digit)] for digit in str(day.year))
    words = f"{year}年{chinese(day.month)}月{chinese(day.day)}日".replace("一十", "十")
    return [
        day.isoformat(),
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.year}/{day.month}/{day.day}",
        f"{day.year}.{day.month:02}.{day.day:02}",
        f"{day.year} 年 {day.month} 月 {day.day} 日",
        f"{day.year}年{day.month}月{day.day}号".translate(FULL_WIDTH),
        f"{day:%Y%m%d}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}",
        words,
        words.replace("〇", "○"),
    ]


@given(days, days)
@examples(60)
def test_a_date_in_any_notation_is_one_date(day, other):
    for form in forms_of(day):
        assert judge_fact({"date": day.isoformat()}, f"是{form}。", question="是哪一天？").correct, form
        if other != day:
            assert not judge_fact({"date": other.isoformat()}, f"是{form}。", question="是哪一天？").correct


answers = st.text(
    st.sampled_from("他她说收了退给元万千百0123456789一二三年月日，。：“”不没有未材料记载但是或者号次人张王\n 　"),
    max_size=60,
)


@given(answers, answers)
@examples(150)
def test_any_answer_is_judged(answer, question):
    expected = {"amount_total": 42000, "date": "2020-08-30", "count": 2, "boolean_answer": True, "entity": "张三"}
    verdict = judge_fact(expected, answer, question=question)
    assert 0.0 <= verdict.share <= 1.0
    assert verdict.reason
    detect_abstention(answer, question=question)
    for each in find_invented(answer, "材料", question=question):
        assert 0 <= each.start < each.end <= len(answer)


@given(st.text(max_size=80))
def test_places_lead_back_to_the_original(text):
    found = normalise_with_offsets(text)
    assert found.text == normalise(text)
    assert list(found.offsets) == sorted(found.offsets)
    assert found.offsets[-1] == len(text)


@given(st.text(st.sampled_from("他说收了钱，。号码我忘记42000元 　"), min_size=1, max_size=30))
def test_a_text_quotes_itself_whatever_its_width_and_blanks(text):
    assume(any(char.isalnum() for char in text))
    assert contains_quote(f"他说：{text}", text)
    assert contains_quote(text.translate(FULL_WIDTH), text)
