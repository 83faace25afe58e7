"""A layer for PyTorch: the log-likelihood of dependency trees under arc scores, with exact gradients.

The derivative of log Z with respect to the score of an arc is the marginal probability of the arc, so that one call of
`marginals` is the backward pass. Scores are [sentence, modifier, head], as a biaffine parser computes them; sentences
are padded, and `lengths` has their numbers of words. Run it to train a small table of scores towards given trees.
"""

from __future__ import annotations

from typing import Any

try:
    import torch
except ImportError:
    if __name__ != "__main__":
        raise
    raise SystemExit("this example needs PyTorch: pip install 'treewright[neural]'") from None

import treewright as tw


class LogPartition(torch.autograd.Function):  # type: ignore[misc]
    """log Z of each sentence of a padded batch; differentiable once with respect to the scores."""

    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, lengths: torch.Tensor, projective: bool) -> torch.Tensor:
        given = scores.detach().cpu().double()  # without a copy where scores are float64 in CPU memory
        options: dict[str, Any] = {"lengths": lengths.cpu(), "head_first": False, "projective": projective}
        marginals = torch.zeros_like(scores)
        for b, found in enumerate(tw.decode.batched(tw.decode.marginals, given, **options)):
            marginals[b, : len(found), : len(found)] = torch.from_numpy(found.view())
        ctx.save_for_backward(marginals)
        return torch.tensor(tw.decode.batched(tw.decode.log_partition, given, **options)).to(scores)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (marginals,) = ctx.saved_tensors
        return marginals * gradients[0][:, None, None], None, None


def log_likelihood(
    scores: torch.Tensor, heads: torch.Tensor, lengths: torch.Tensor, *, projective: bool = False
) -> torch.Tensor:
    """log P(tree) of each sentence; heads[b, m] is the head of word m, and heads[b, 0] is not read."""
    words = torch.arange(scores.shape[1], device=scores.device)
    is_word = (words >= 1) & (words <= lengths[:, None].to(scores.device))
    arcs = scores.gather(2, heads.clamp(min=0)[:, :, None]).squeeze(2)
    return torch.where(is_word, arcs, 0.0).sum(dim=1) - LogPartition.apply(scores, lengths, projective)


def main() -> None:
    torch.manual_seed(0)
    heads = torch.tensor([[-1, 2, 0, 2], [-1, 0, 1, -1]])
    lengths = torch.tensor([3, 2])
    scores = torch.zeros((2, 4, 4), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.SGD([scores], lr=1.0)
    for step in range(21):
        optimizer.zero_grad()
        loss = -log_likelihood(scores, heads, lengths).sum()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step:2}  loss {loss.item():.3f}")
    for parse in tw.decode.trees(scores.detach(), lengths=lengths, head_first=False):
        print(parse.heads.tolist())


if __name__ == "__main__":
    main()
