"""Sentence ends and words of scripts with other marks, right-to-left text, and text without marks, by rules."""

from __future__ import annotations

import pytest

from treewright.tokeniser import Tokeniser, rebuild_text

RULES = Tokeniser()


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("هل جاء الولد؟ نعم، جاء أمس.", ["هل جاء الولد؟", "نعم، جاء أمس."]),
        ("وہ گھر گیا۔ پھر وہ سو گیا۔", ["وہ گھر گیا۔", "پھر وہ سو گیا۔"]),
        ("बच्चा घर गया। वह सो गया।", ["बच्चा घर गया।", "वह सो गया।"]),
        ("बच्चा घर गया।वह सो गया।", ["बच्चा घर गया।", "वह सो गया।"]),
        ("Երեխան տուն գնաց։ Նա քնեց։", ["Երեխան տուն գնաց։", "Նա քնեց։"]),
        ("ልጁ ወደ ቤት ሄደ። ተኛ።", ["ልጁ ወደ ቤት ሄደ።", "ተኛ።"]),
        ("孩子回家了。他睡了！真的？", ["孩子回家了。", "他睡了！", "真的？"]),
        ("他说：“我回家。”她笑了。", ["他说：“我回家。”", "她笑了。"]),
        ("הילד הלך הביתה. הוא ישן.", ["הילד הלך הביתה.", "הוא ישן."]),
        ("ကလေးအိမ်ပြန်တယ်။သူအိပ်တယ်။", ["ကလေးအိမ်ပြန်တယ်။", "သူအိပ်တယ်။"]),
        ("เด็กกลับบ้าน แล้วเขาก็นอน\n\nฝนตก", ["เด็กกลับบ้าน แล้วเขาก็นอน", "ฝนตก"]),
        ("кошка спит\n\nсобака ест", ["кошка спит", "собака ест"]),
    ],
)
def test_sentence_ends_of_other_scripts(text: str, sentences: list[str]) -> None:
    found = RULES(text)
    assert [sentence.text for sentence in found] == sentences
    assert rebuild_text(found) == text


def test_vowel_signs_belong_to_their_words() -> None:
    [found] = RULES("हिन्दी किताब है।")
    assert found.forms == ["हिन्दी", "किताब", "है", "।"]
    [found] = RULES("ผู้ใหญ่ ที่นี่")
    assert found.forms == ["ผู้ใหญ่", "ที่นี่"]
    [found] = RULES("שָׁלוֹם לְךָ")
    assert found.forms == ["שָׁלוֹם", "לְךָ"]


def test_places_of_right_to_left_text_are_in_logical_order() -> None:
    text = "شرب الولد الماء. نام."
    for sentence in RULES(text):
        assert [text[word.begin : word.end] for word in sentence] == sentence.forms


def test_a_long_text_without_marks_is_cut_after_a_comma_of_its_script() -> None:
    text = "كلمة " * 420 + "كلمة، " + "كلمة " * 300
    assert [sentence.forms[-1] for sentence in RULES(text)] == ["،", "كلمة"]
