"""The action vocabulary: one closed set, used by agents and slash commands alike."""

from bot.core.actions.access import *
from bot.core.actions.agents import *
from bot.core.actions.aims import Aim
from bot.core.actions.community import *
from bot.core.actions.definition import Action, Category, Definition, Need, People
from bot.core.actions.docs import actions_table
from bot.core.actions.mind import *
from bot.core.actions.room import *
from bot.core.actions.scenes import *
from bot.core.actions.talk import *
from bot.core.actions.vocabulary import ALSO_CALLED, BY_NAME, CATALOGUE, LEAN, actions_of, hud_actions, listed
