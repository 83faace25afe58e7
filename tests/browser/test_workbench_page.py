"""The page of the workbench in a browser: decisions, an oracle that works by keys, layouts, right-to-left text."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from oracles.pipelines import pipeline, written
from oracles.projects import gold_and_work
from oracles.workbench import Start, Workbench

from treewright.annotate import Project
from treewright.corpus import Sentence, write

LONG = (
    "When the committee that had been appointed in spring finally met on Tuesday , the members who had read the "
    "report agreed with the chairman that nothing in it could be used before the end of the year ."
)
HEBREW = ["הילד", "אכל", "תפוח", "אדום", "בבית", "של", "סבתא", "."]
SHARE = 0.95  # p95


def conllu(path: Path, *texts: list[str]) -> str:
    """Write sentences of these words without heads."""
    blocks = [
        "\n".join([f"# text = {' '.join(words)}", *(f"{i}\t{word}" + "\t_" * 8 for i, word in enumerate(words, 1))])
        for words in texts
    ]
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    return str(path)


def alternatives(bench: Workbench, word: int) -> list[dict[str, float]]:
    sentence = bench.state()["sentence"]
    answer = bench.page.evaluate(
        f"fetch('/api/v1/sentences/{sentence}/alternatives?word={word}').then((answer) => answer.json())"
    )
    listed: list[dict[str, float]] = answer["alternatives"]
    return listed


def test_first_tree_and_a_decision_by_digit(start: Start, tmp_path: Path) -> None:
    begin = time.perf_counter()
    bench = start(conllu(tmp_path / "long.conllu", LONG.split(), LONG.split()[4:]))
    print(f"first tree after {time.perf_counter() - begin:.1f} s")
    assert not bench.page.url.endswith("=")
    assert "token" not in bench.page.url
    bench.go_to(5)
    before, listed = bench.heads(), alternatives(bench, 5)
    bench.press("2")
    assert bench.heads()[4] == listed[1]["head"]
    assert bench.heads()[:4] == before[:4]
    bench.press("u")
    assert bench.heads() == before
    rejected = before[4]
    bench.press("x")
    assert bench.heads()[4] != rejected
    assert rejected not in [item["head"] for item in alternatives(bench, 5)]
    seq = bench.state()["seq"]
    bench.page.reload()
    bench.wait(seq=seq)
    assert bench.heads()[4] != rejected
    bench.press("u")
    assert bench.heads() == before
    assert (bench.foreign, bench.problems) == ([], [])


def test_keydown_to_paint(start: Start, tmp_path: Path) -> None:
    bench = start(conllu(tmp_path / "long.conllu", LONG.split()))
    bench.page.evaluate(
        """window.times = [];
        new MutationObserver(([change]) => {
          if (change.oldValue !== document.body.dataset.seq) window.times.push(performance.now() - window.pressed);
        }).observe(document.body, {attributeFilter: ["data-seq"], attributeOldValue: true});
        addEventListener("keydown", () => (window.pressed = performance.now()), true);"""
    )
    for word in (*range(2, 27), *range(26, 1, -1)):
        bench.go_to(word)
        bench.press("1")
        bench.press("u")
    times = sorted(bench.page.evaluate("window.times"))
    p95 = times[int(SHARE * len(times))]
    print(f"keydown to paint: median {times[len(times) // 2]:.0f} ms, p95 {p95:.0f} ms of {len(times)}")
    assert p95 <= 100 * (3 if os.getloadavg()[0] > 2 else 1)  # other programs slow both sides down


def correct(bench: Workbench, gold: Sentence) -> None:
    """Correct heads and relations by keys, from left to right."""
    for word, (head, deprel) in enumerate(zip(gold.heads.tolist(), gold.deprels, strict=True), 1):
        if bench.heads()[word - 1] != head:
            bench.go_to(word)
            if head == 0:
                bench.press("0")
            else:
                bench.page.keyboard.press("h")
                letters = bench.page.get_attribute(f"[data-for='{head}']", "data-hint") or ""
                for letter in letters[:-1]:
                    bench.page.keyboard.press(letter)
                bench.press(letters[-1])
        shown = bench.page.locator(f"#columns tr[data-row='{word}'] td[data-column='deprel']").inner_text()
        if shown != deprel:
            bench.go_to(word)
            bench.page.keyboard.press("l")
            bench.page.keyboard.type(deprel)
            bench.press("Enter")
    assert bench.heads() == gold.heads.tolist()


@pytest.mark.parametrize(("count", "line_end"), [(100, "\n"), (10, "\r\n")])
def test_an_oracle_corrects_sentences_by_keys_and_the_export_is_gold(
    start: Start, tmp_path: Path, count: int, line_end: str
) -> None:
    gold, work = gold_and_work(count, 11, line_end)
    (tmp_path / "work.conllu").write_bytes(work)
    pipeline().save(tmp_path / "tiny.tw")
    bench = start(str(tmp_path / "work.conllu"), "--model", str(tmp_path / "tiny.tw"))
    bench.page.locator("#columns summary").click()
    for number, block in enumerate(gold.decode().strip().split(line_end * 2), 1):
        bench.wait(sentence=number)
        bench.page.wait_for_selector("#columns tr[data-row]")
        correct(bench, Sentence(block))
        bench.page.keyboard.press("Enter")
    bench.page.wait_for_selector("#news:has-text('last sentence')")
    assert bench.problems == []
    command = [sys.executable, "-m", "treewright", "project", "export", str(tmp_path / "work.project")]
    assert subprocess.run(command, capture_output=True, check=True).stdout == gold


def layers_of_two(folder: Path, differing: int) -> tuple[Path, dict[tuple[int, int], int]]:
    """Make a project of 100 sentences whose layers ana and ben differ in some words; return these with ben's heads."""
    ana = written(100, 7)
    ben, words = [], {}
    for number, sentence in enumerate(ana, 1):
        heads = sentence.heads.tolist()
        if number <= differing:
            leaf = next(word for word in range(len(heads), 0, -1) if word not in heads)
            heads[leaf - 1] = next(word for word in range(1, len(heads) + 1) if word not in (leaf, heads[leaf - 1]))
            words[number, leaf] = heads[leaf - 1]
        ben.append(sentence.with_columns(heads=heads))
    for name, sentences in (("ana", ana), ("ben", ben)):
        write(
            [one.with_columns(deprels=["dep" if head else "root" for head in one.heads]) for one in sentences],
            folder / f"{name}.conllu",
        )
    write([one.with_columns(heads=[-1] * len(one), deprels=["_"] * len(one)) for one in ana], folder / "both.conllu")
    pipeline().save(folder / "tiny.tw")
    with Project.create(folder / "both.project", [folder / "both.conllu"], str(folder / "tiny.tw")) as project:
        for name in ("ana", "ben"):
            project.people.add(name)
            project.import_files([folder / f"{name}.conllu"], layer=name)
    return folder / "both.project", words


def test_adjudication_visits_the_differing_words_and_takes_answers_by_one_key(start: Start, tmp_path: Path) -> None:
    folder, words = layers_of_two(tmp_path, differing=50)
    bench = start(str(folder))
    bench.page.locator("[data-view=compare]").click()
    bench.page.wait_for_selector("text=50 of 50 differing words are undecided")
    bench.page.locator("text=Decide differing words").click()
    visited = []
    for place, (sentence, word) in enumerate(words):
        bench.wait(sentence=sentence, word=word)
        visited.append((sentence, word))
        bench.page.keyboard.press("ab"[place % 2])
    bench.page.wait_for_selector("#news:has-text('last hit')")
    assert visited == list(words)
    with Project.open(folder, read_only=True) as project:
        assert all(difference.is_decided for difference in project.layers.adjudication())
        for place, ((sentence, word), theirs) in enumerate(words.items()):
            head = int(project.editor.state(sentence, "gold").sentence.heads[word - 1])
            assert (head == theirs) == (place % 2 == 1)
    assert bench.problems == []


def test_search_labels_training_and_new_sentences(start: Start, tmp_path: Path) -> None:
    write(written(30, 3), tmp_path / "work.conllu")
    bench = start(str(tmp_path / "work.conllu"), "--model", "none")
    bench.page.keyboard.press("/")
    bench.page.keyboard.type("pattern { X [upos=VERB] }")
    bench.page.keyboard.press("Enter")
    bench.page.wait_for_selector("#order option:checked:has-text('Hits of')", state="attached")
    first = bench.state()
    bench.page.keyboard.press("n")
    bench.page.wait_for_selector(f"body:not([data-sentence='{first['sentence']}'])")
    bench.page.keyboard.press("L")
    bench.page.keyboard.type("idiom ask")
    bench.press("Enter")
    assert bench.page.locator("#labels li").all_inner_texts() == ["ask", "idiom"]
    bench.page.wait_for_selector("#order option[value='label:idiom']", state="attached")
    assert "universaldependencies.org/u/dep/" in (bench.page.get_attribute("#panel a.guideline", "href") or "")
    bench.page.locator("[data-view=progress]").click()
    bench.page.fill("textarea", "It rains. We stay.")
    bench.page.locator("button:text-is('Add')").click()
    bench.page.wait_for_selector("text=2 sentences added")
    bench.page.locator("text=Train on what is annotated").click()
    bench.page.wait_for_selector("td:has-text('held-out words')", timeout=300_000)
    bench.page.locator("button:text-is('use this one')").last.click()
    bench.page.wait_for_selector("tr:has-text('held-out words'):has-text('in use')")
    bench.page.locator("tr:has-text('No model, as at the start') button").click()
    bench.page.wait_for_selector("tr:has-text('No model, as at the start'):has-text('in use')")
    assert (bench.foreign, bench.problems) == ([], [])


def test_arrows_follow_the_screen_in_right_to_left_text(start: Start, tmp_path: Path) -> None:
    bench = start(conllu(tmp_path / "hebrew.conllu", HEBREW))
    bench.page.keyboard.press("ArrowLeft")
    bench.wait(word=2)
    bench.page.keyboard.press("ArrowRight")
    bench.wait(word=1)
    first, second = (bench.page.locator(f"text.form[data-word='{word}']").bounding_box() for word in (1, 2))
    assert first is not None
    assert second is not None
    assert second["x"] < first["x"]
    assert bench.problems == []


def test_keys_under_a_cyrillic_layout(start: Start, tmp_path: Path) -> None:
    bench = start(conllu(tmp_path / "long.conllu", LONG.split()))
    bench.go_to(5)
    before = bench.heads()
    press_as(bench, "ч", "KeyX")
    bench.wait(seq=1)
    assert bench.heads()[4] != before[4]
    press_as(bench, "г", "KeyU")
    bench.wait(seq=2)
    assert bench.heads() == before
    press_as(bench, "д", "KeyL")
    for key, code in (("т", "KeyN"), ("ь", "KeyM"), ("щ", "KeyO"), ("в", "KeyD")):
        press_as(bench, key, code)
    bench.page.wait_for_selector(".typed:has-text('nmod')")
    bench.press("Enter")
    assert bench.page.locator("dd.decided").first.inner_text() == "nmod"


def press_as(bench: Workbench, key: str, code: str) -> None:
    """Press a key that another layout has at a place of the keyboard."""
    bench.page.evaluate(
        "([key, code]) => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, code, bubbles: true, "
        "cancelable: true}))",
        [key, code],
    )


def test_a_click_on_a_word_and_on_its_head(start: Start, tmp_path: Path) -> None:
    bench = start(conllu(tmp_path / "long.conllu", LONG.split()[:12]))
    before = bench.heads()
    head = next(number for number in range(1, 13) if number not in (4, before[3]))
    bench.page.locator("text.form[data-word='4']").click()
    bench.wait(word=4)
    bench.page.locator(f"text.form[data-word='{head}']").click()
    bench.wait(seq=1)
    assert bench.heads()[3] == head
    assert "attached" in bench.page.inner_text("#news")


def test_a_conflict_offers_what_to_give_up(start: Start, tmp_path: Path) -> None:
    bench = start(conllu(tmp_path / "short.conllu", ["It", "rains", "today"]))
    for word, head in ((1, 2), (2, 3)):
        bench.go_to(word)
        bench.page.keyboard.press("h")
        hint = bench.page.get_attribute(f"[data-for='{head}']", "data-hint") or ""
        bench.press(hint)
    bench.go_to(3)
    bench.page.keyboard.press("h")
    bench.page.keyboard.press(bench.page.get_attribute("[data-for='1']", "data-hint") or "")
    bench.page.wait_for_selector(".editor.problem")
    bench.press("1")
    assert bench.heads()[2] == 1


def test_the_page_waits_for_a_server_that_was_killed(start: Start, tmp_path: Path) -> None:
    path = conllu(tmp_path / "long.conllu", LONG.split())
    bench = start(path, "--port", "0")
    bench.page.route("**/ops?*", lambda route: route.abort())
    bench.page.keyboard.press("1")
    bench.page.wait_for_selector("#saved.problem")
    bench.page.unroute("**/ops?*")
    bench.wait(seq=1)
    assert "saved #1" in bench.page.inner_text("#saved")


def test_the_list_after_a_sentence_far_down_was_split_and_joined(start: Start, tmp_path: Path) -> None:
    texts = [["It", "rains", f"{number}", ".", "We", "stay", "."] for number in range(1, 121)]
    bench = start(conllu(tmp_path / "many.conllu", *texts), "--model", "none")
    bench.page.locator("#sentences li").last.scroll_into_view_if_needed()
    bench.page.wait_for_selector("#sentences li[data-id='120']")
    bench.open(115)
    bench.go_to(5)
    bench.press("S")
    assert "Two sentences" in bench.page.inner_text("#news")
    lines = bench.page.locator("#sentences li .words").all_inner_texts()
    assert (len(lines), lines[114:117]) == (121, ["It rains 115 .", "We stay .", "It rains 116 . We stay ."])
    bench.page.keyboard.press("]")
    bench.page.wait_for_selector("#text:text-is('We stay .')")
    bench.page.keyboard.press("[")
    bench.wait(sentence=115)
    bench.press("J")
    assert bench.page.locator("#sentences li").count() == 120
    assert bench.problems == []


def test_alternatives_of_a_word_that_a_split_takes_away_are_given_up(start: Start, tmp_path: Path) -> None:
    bench = start(conllu(tmp_path / "two.conllu", ["It", "rains", ".", "We", "stay", "."]), "--model", "none")
    asked: list[object] = []
    given_up: list[str] = []
    bench.page.route("**/alternatives?word=4&*", lambda route: asked.append(route))  # and never answered
    bench.page.on("requestfailed", lambda request: given_up.append(request.url))
    bench.go_to(4)
    bench.page.wait_for_timeout(200)
    assert (len(asked), given_up) == (1, [])
    bench.press("S")
    bench.page.wait_for_timeout(200)
    assert (len(given_up), bench.problems) == (1, [])


def test_what_a_screen_cannot_do_is_said_there(start: Start, tmp_path: Path) -> None:
    bench = start(conllu(tmp_path / "short.conllu", ["It", "rains"]), "--model", "none")
    page = bench.page
    page.locator("[data-view=people]").click()
    page.fill("#screen input", "ana")
    page.locator("#screen button:text-is('Add')").click()
    page.wait_for_selector("text=Link of ana, shown once")
    page.locator("[data-view=compare]").click()
    page.wait_for_selector("text=Two people must have accepted the same sentences.")
    assert bench.problems == []
    page.locator("[data-view=progress]").click()
    page.locator("text=Train on what is annotated").click()
    page.wait_for_selector("#screen .alert:has-text('training needs at least 10')")
    (tmp_path / "latin.txt").write_bytes("Für Äpfel.".encode("latin-1"))
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "good.txt").write_bytes("Für Äpfel.".encode())
    page.set_input_files("input[type=file]", [tmp_path / f"{name}.txt" for name in ("latin", "empty", "good")])
    page.locator("#screen button:text-is('Add')").click()
    done = "latin.txt: not UTF-8; convert the file; empty.txt: no words in this text; good.txt: 1 sentence added"
    page.wait_for_selector(f"text={done}")


FAINT_TEXT = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const linear = (value) => (value <= 0.03928 * 255 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = (element) => {
    const colour = rgb(getComputedStyle(element).backgroundColor);
    return colour[3] === 255 ? colour : ground(element.parentElement);
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const ratio = (element) => {
    const pseudo = element.placeholder && !element.value ? "::placeholder" : null;
    const pair = [luminance(rgb(getComputedStyle(element, pseudo).color)), luminance(ground(element))];
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  };
  return [...document.querySelectorAll("body *:not(svg *)")]
    .filter((element) => (hasText(element) || element.placeholder) && element.getClientRects().length)
    .map((element) => [ratio(element), element.outerHTML.slice(0, 80)])
    .filter(([value]) => value < 4.5);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(start: Start, tmp_path: Path, scheme: str) -> None:
    bench = start(conllu(tmp_path / "long.conllu", LONG.split()[:14], LONG.split()), color_scheme=scheme)
    bench.press("2")
    bench.press("d")
    bench.page.locator("#proof summary").click()
    bench.page.locator("#columns summary").click()
    assert bench.page.evaluate(FAINT_TEXT) == []
    bench.page.keyboard.press("l")
    bench.page.wait_for_selector(".editor")
    assert bench.page.evaluate(FAINT_TEXT) == []
    bench.page.keyboard.press("Escape")
    for screen in ("progress", "people"):
        bench.page.locator(f"[data-view={screen}]").click()
        bench.page.wait_for_selector("#screen h2")
        assert bench.page.evaluate(FAINT_TEXT) == []


def test_the_screens_are_reached_by_keys(start: Start, tmp_path: Path) -> None:
    bench = start(conllu(tmp_path / "short.conllu", ["It", "rains", "."]))
    page = bench.page
    page.keyboard.press("/")
    for name in ("People", "Progress"):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.activeElement.textContent") == name
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Train on what is annotated")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#tree svg")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.body")
    page.locator("#panel a.guideline").focus()
    page.keyboard.press("Tab")
    assert bench.state()["seq"] == "0"
    bench.page.locator("#previous").click()
    bench.press("Enter")
    assert page.inner_text("#status") == "accepted ✓"


def test_a_second_window_shows_what_the_first_one_has_changed(start: Start, tmp_path: Path) -> None:
    bench = start(conllu(tmp_path / "long.conllu", LONG.split()))
    other = bench.page.context.new_page()
    other.goto(bench.url)
    other.wait_for_selector("body[data-sentence]")
    bench.press("2")
    assert bench.state()["heads"] != other.get_attribute("body", "data-heads")
    other.keyboard.press("3")
    other.wait_for_selector("#news.problem:has-text('the sentence has changed since revision 0 (by me)')")
    other.wait_for_selector(f"body[data-heads='{bench.state()['heads']}'][data-revision='1']")


def test_adjudication_says_that_layers_have_other_words(start: Start, tmp_path: Path) -> None:
    path = conllu(tmp_path / "short.conllu", ["It", "rains", "to", "day"])
    with Project.create(tmp_path / "short.project", [path], "en") as project:
        for name in ("ana", "ben"):
            project.people.add(name)
            if name == "ben":
                project.editor.apply(1, name, name, "join", 0, [{"kind": "join_words", "word": 3}])
            project.editor.change("accept", 1, name, name, f"{name} accepts")
    bench = start(str(tmp_path / "short.project"))
    bench.page.locator("[data-view=compare]").click()
    bench.page.locator("text=Decide differing words").click()
    bench.page.wait_for_selector(".difference:has-text('It | rains | to day')")
    bench.page.keyboard.press("b")
    bench.page.wait_for_selector("#news:has-text('The layers have other words')")
    bench.go_to(3)
    bench.press("j")
    bench.press("Enter")
    bench.page.locator("[data-view=compare]").click()
    bench.page.wait_for_selector("text=0 of 1 differing words are undecided")
    assert bench.problems == []
