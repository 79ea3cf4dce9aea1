"""Rewards for RL training: BLEU and GLEU as callables of the forms that frameworks want. No framework is imported."""

from clipgram.rewards.areal import AReaLReward
from clipgram.rewards.easyr1 import easyr1_compute_score
from clipgram.rewards.nemo_rl import NeMoRLReward
from clipgram.rewards.openrlhf import OpenRLHFReward
from clipgram.rewards.scoring import Scorer
from clipgram.rewards.slime import SlimeReward
from clipgram.rewards.trl import AsyncTRLReward, TRLReward
from clipgram.rewards.verifiers import VerifiersGroupReward, VerifiersReward
from clipgram.rewards.verl import VerlBatchReward, VerlReward, verl_compute_score, verl_compute_scores

__all__ = (
    "AReaLReward",
    "AsyncTRLReward",
    "NeMoRLReward",
    "OpenRLHFReward",
    "Scorer",
    "SlimeReward",
    "TRLReward",
    "VerifiersGroupReward",
    "VerifiersReward",
    "VerlBatchReward",
    "VerlReward",
    "easyr1_compute_score",
    "verl_compute_score",
    "verl_compute_scores",
)
