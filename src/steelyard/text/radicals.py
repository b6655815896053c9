"""CJK radicals and strokes as the ideographs that they look like.

Browsers print PDF files in which the ideograph of a glyph is named by a radical with the same glyph: ⽉ (U+2F49) for
月, ⾦ for 金, ⺠ (U+2EA0) for 民. NFKC maps the Kangxi radicals and two radicals of the supplement; the property used
here maps all that have an equivalent.
"""

import re
from typing import Final

# Equivalent_Unified_Ideograph of the Unicode Character Database (EquivalentUnifiedIdeograph.txt), version 16.0, as in
# 15.0. From a first code point on; an ideographic space where a code point has no equivalent.
_FROM: Final = {
    # CJK Radicals Supplement
    0x2E80: (
        "　厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑𫜹忄心扌攵　旡日月歺母民氵氺灬爫爫丬牛犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫"
        "羊𦍌𦍋耂肀聿肉𦥑艹艹艹虎衤覀西见角𧢲讠贝𧾷车辶辶辶邑钅長镸长门𨸏阝雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉"
        "齐歯齿竜龙龜亀龟"
    ),
    # Kangxi Radicals
    0x2F00: (
        "一丨丶丿乙亅二亠人儿入八冂冖冫几凵刀力勹匕匚匸十卜卩厂厶又口囗土士夂夊夕大女子宀寸小尢尸屮山巛工己巾干幺广廴"
        "廾弋弓彐彡彳心戈戶手支攴文斗斤方无日曰月木欠止歹殳毋比毛氏气水火爪父爻爿片牙牛犬玄玉瓜瓦甘生用田疋疒癶白皮皿"
        "目矛矢石示禸禾穴立竹米糸缶网羊羽老而耒耳聿肉臣自至臼舌舛舟艮色艸虍虫血行衣襾見角言谷豆豕豸貝赤走足身車辛辰辵"
        "邑酉釆里金長門阜隶隹雨靑非面革韋韭音頁風飛食首香馬骨高髟鬥鬯鬲鬼魚鳥鹵鹿麥麻黃黍黑黹黽鼎鼓鼠鼻齊齒龍龜龠"
    ),
    # CJK Strokes
    0x31C6: "𠃌　　　　　　　　乀一丨丿丿丶𠃍乛𠃊𠃎𠄌亅𡿨𠃋乀𠃑乚乙𠄎",
}
EQUIVALENTS: Final[dict[int, str]] = {
    first + place: ideograph
    for first, ideographs in _FROM.items()
    for place, ideograph in enumerate(ideographs)
    if ideograph != "\u3000"
}
_ANY: Final = re.compile("[\u2e80-\u2ef3\u2f00-\u2fd5\u31c6-\u31e1]")


def unified(text: str) -> str:
    """The text with ideographs in place of radicals and strokes; its length does not change."""
    return text if text.isascii() or not _ANY.search(text) else text.translate(EQUIVALENTS)
