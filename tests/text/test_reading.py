"""The reading step: what an answer says, without its markup; each place leads back to the original."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.legal.reading import LONGEST_ANSWER, MOST_FIGURES, read, read_with_offsets
from steelyard.text.reading import final_part, is_silent, plain_text, plain_text_with_offsets, without_thinking


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("<think>会不会是9月1日？</think>\n2020年8月30日", "2020年8月30日"),
        ("先想一想……</think>2020年8月30日", "2020年8月30日"),
        ("<thinking>maybe\n</thinking>Yes.", "Yes."),
        ("<think>还没有想完", ""),
        ("**42000元**[1]", "42000元"),
        ("### 结论\n- *共* `42000` 元【3†source】", "结论\n共 42000 元"),
        ("见[第二条](https://example.org/a?b=1)", "见第二条"),
        ("共 $\\boxed{3}$ 次", "共 3 次"),
        ("\\(12 \\times 5 = 60\\)", "12 × 5 = 60"),
        ("总额 $42\\,000$ 元", "总额 42 000 元"),
        ("\\frac{1}{2} 的份额", "1/2 的份额"),
        ("He paid $5 and $10 for it.", "He paid $5 and $10 for it."),
        ("<p>42000元</p><br/>共两笔", "42000元\n共两笔"),
        ("&ldquo;雀舌&rdquo;15公斤 &amp; 茶", "“雀舌”15公斤 & 茶"),
        ("[金额]3497元<eoa>", "[金额]3497元"),
        ("5 hours x $10 = $<<5*10=50>>50", "5 hours x $10 = $50"),
        ("他去过3次✅", "他去过3次"),
        ("I don’t know", "I don't know"),
        ("他说‘号码我忘了’。", "他说“号码我忘了”。"),
        ("xinghe_1988 和 snake_case", "xinghe_1988 和 snake_case"),
        ("5*3=15", "5*3=15"),
        ("1. 收款两笔\n2. 退款一笔", "收款两笔\n退款一笔"),
        ("赢过五次： 1. 1987年 2. 1999年 3. 2003年", "赢过五次： \n1987年 \n1999年 \n2003年"),
        ("3. 他去了", "3. 他去了"),
        ("于15:00)结束", "于15:00)结束"),
        ("released on December 29, 20171.", "released on December 29, 2017."),
        ("a total of27 episodes1.", "a total of 27 episodes."),
        ("共42000元。\n> 注：以上由AI生成，仅供参考，可能存在误差。", "共42000元。"),
        ("The rent is $900. This is not legal advice.", "The rent is $900."),
        ("以上内容仅供参考。", "以上内容仅供参考。"),
        ("https://example.org/a?b=1", "https://example.org/a?b=1"),
        ("官网是 https://example.org/a ，可以查询", "官网是 https://example.org/a ，可以查询"),
        ("<https://example.org/a>", "https://example.org/a"),
        ("[🔗](https://example.org/a)", "https://example.org/a"),
        ("`config.yaml`", "config.yaml"),
        ("400 per month.```json\n", "400 per month."),
        ("使用 `--verbose`", "使用 --verbose"),
        ("先答。<think>再想</think>完", "先答。 完"),
        ("|a||b|\n|-|-|-|\n|c||3|", "a: , b\nc: , 3"),
    ],
)
def test_what_an_answer_says(raw, plain):
    assert plain_text(raw).strip() == plain


def test_the_unit_in_the_head_of_a_table_belongs_to_its_cells():
    table = "| 项目 | 金额（万元） | 次数 |\n|---|---:|---|\n| 合计 | 4.2 | 3 |\n| 退款 | 1.8 | - |"
    assert plain_text(table).strip().split("\n")[-2:] == ["合计: 4.2万元, 3", "退款: 1.8万元, -"]
    assert "42,000美元" in plain_text("|a|总价(美元)|\n|-|-|\n|b|42,000|").replace(" ", "")


@pytest.mark.parametrize(
    ("text", "final"),
    [
        ("先算……\n最终答案：42000元\n理由如下", "42000元"),
        ("Because of that.\nAnswer: No", "No"),
        ("答案是：三次。", "三次。"),
        ("**Final Answer:** What is it?\nOne year ago is 03/05/1972.", "One year ago is 03/05/1972."),
        ("[金额]2000元<eoa>：价值共计50270元", "2000元"),
        ("他答了一句话", ""),
    ],
)
def test_the_announced_answer(text, final):
    assert final_part(plain_text(text)) == final


@pytest.mark.parametrize("text", ["", "。", "……！？", " \n\t", "**", "🙂", "—"])
def test_silence_has_no_letter_digit_or_ideograph(text):
    assert is_silent(text)
    assert read(text).is_silent


def test_an_answer_beyond_the_limits_is_not_read():
    assert read("收" * (LONGEST_ANSWER + 1)).is_silent
    assert read("1 " * (MOST_FIGURES + 1)).is_silent
    assert not read("1 " * MOST_FIGURES).is_silent
    assert read_with_offsets("收" * (LONGEST_ANSWER + 1)).text == ""


markup = st.text(
    st.sampled_from("abc 收了3元。，\n**__``##[]()<>|-$\\{}12.、）/think:：‘’“”&;答案Answer【】†🙂０Ａ～"), max_size=80
)


@given(markup)
def test_places_lead_back_to_the_original(raw):
    found = plain_text_with_offsets(raw)
    assert found.text == plain_text(raw)
    assert len(found.offsets) == len(found.text) + 1
    assert list(found.offsets) == sorted(found.offsets)
    assert all(0 <= place <= len(raw) for place in found.offsets)


@given(markup)
def test_normalised_lines_lead_back_to_the_original(raw):
    found = read_with_offsets(raw)
    assert len(found.offsets) == len(found.text) + 1
    assert list(found.offsets) == sorted(found.offsets)


@given(st.text(st.sampled_from("他说收了钱abc，。 4200元"), max_size=40))
def test_text_without_markup_stays_as_it_is(text):
    assert plain_text(text).strip() == text.strip() or any(mark in text for mark in ("0", "2", "4"))


@given(markup)
def test_thinking_is_never_a_part_of_the_answer(raw):
    assert "<think>" not in without_thinking(f"<think>{raw}</think>答") or "<think>" in raw
    assert without_thinking("<think>x</think>答") == "答"
