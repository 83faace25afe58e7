// Names of keys. Commands follow the place of a key where the layout has no Latin letters (KeyboardEvent.code), so that
// they work under Cyrillic or Arabic layouts.

const NAMED = {
  ArrowLeft: "Left",
  ArrowRight: "Right",
  ArrowUp: "Up",
  ArrowDown: "Down",
  PageUp: "[",
  PageDown: "]",
  NumpadEnter: "Enter",
  Space: "Space",
  BracketLeft: "[",
  BracketRight: "]",
  Period: ".",
  Slash: "/",
};
const AS_TYPED = new Set([".", "/", "?", "[", "]"]);
const PLAIN = new Set(["Enter", "Backspace", "Tab", "Escape", "Delete", "Home", "End"]);

/** Return the name of the pressed key: "a", "A" with Shift, "1", "Left", "Enter", "⇧Tab", ...; null for others. */
export function keyOf(event) {
  const { code, key, shiftKey } = event;
  if (/^[a-z]$/i.test(key)) {
    const isUpper = event.getModifierState("CapsLock") ? shiftKey : key !== key.toLowerCase();
    return isUpper ? key.toUpperCase() : key.toLowerCase();
  }
  if (/^Key[A-Z]$/.test(code)) return shiftKey ? code[3] : code[3].toLowerCase();
  if (key === "?" || (code === "Slash" && shiftKey)) return "?";
  if (code in NAMED) return NAMED[code];
  if (AS_TYPED.has(key)) return key;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code);
  if (digit) return digit[1];
  if (PLAIN.has(code) || PLAIN.has(key)) {
    const name = PLAIN.has(key) ? key : code;
    return name === "Tab" && shiftKey ? "⇧Tab" : name;
  }
  return null;
}

/** Return the character that a key adds to a label such as nmod:poss; null if it adds none. */
export function labelCharacter(event) {
  if (/^[\w:~.-]$/.test(event.key) && event.key.charCodeAt(0) < 128) return event.key;
  if (event.code === "Semicolon" && event.shiftKey) return ":";
  const name = keyOf(event);
  return name !== null && /^[\w.-]$/.test(name) ? name : null;
}

const LETTERS = "asdfjklewoiruvncmpxzbytqgh"; // easy ones first

/** Return hints for `count` nodes: one letter for up to 20, two letters for more. */
export function hintsFor(count) {
  const letters = [...LETTERS];
  if (count <= 20) return letters.slice(0, count);
  return letters.flatMap((first) => letters.map((second) => first + second)).slice(0, count);
}

/** Whether an element takes typed text. */
export const isTyping = (element) => element instanceof Element && element.matches("input, textarea, select");
