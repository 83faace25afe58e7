"""Train the scores of a biaffine parser with PyTorch by the exact likelihood of trees, then decode with certificates.

The encoder here is a table of word vectors; any other one gives scores [sentence, modifier, head] in the same way.
"""

from __future__ import annotations

try:
    import torch
except ImportError:
    if __name__ != "__main__":
        raise
    raise SystemExit("this example needs PyTorch: pip install 'treewright[neural]'") from None

import treewright.torch as crf

SENTENCES = [
    ("She mended the rail", [2, 0, 4, 2]),
    ("The rail creaked", [2, 3, 0]),
    ("She slept", [2, 0]),
]


def main() -> None:
    torch.manual_seed(0)
    forms = sorted({form for text, _ in SENTENCES for form in text.split()})
    padding = len(forms) + 1  # row 0 is the root
    rows = [[0, *(forms.index(form) + 1 for form in text.split())] for text, _ in SENTENCES]
    nodes = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, padding)
    trees = [torch.tensor([-1, *heads]) for _, heads in SENTENCES]
    heads = torch.nn.utils.rnn.pad_sequence(trees, True, -1)
    mask = nodes != padding

    vectors = torch.nn.Embedding(padding + 1, 16)
    biaffine = torch.nn.Bilinear(16, 16, 1)
    optimizer = torch.optim.Adam([*vectors.parameters(), *biaffine.parameters()], lr=0.05)
    for step in range(41):
        states = vectors(nodes)
        modifiers, candidates = torch.broadcast_tensors(states[:, :, None], states[:, None])
        scores = biaffine(modifiers.contiguous(), candidates.contiguous()).squeeze(3)
        loss = crf.loss(scores, heads, mask, head_first=False)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step:2}  loss a word {loss.item():.3f}")
    for (text, _), parse in zip(SENTENCES, crf.decode(scores, mask, head_first=False).parses, strict=True):
        print(f"{text:20} {parse.heads.tolist()[1:]}  {'certified' if parse.certified else 'not certified'}")


if __name__ == "__main__":
    main()
