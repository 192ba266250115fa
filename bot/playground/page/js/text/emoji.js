/** The emoji of the picker, with the names they answer to. The first name is the one shown. */

const GROUPS = {
  "For the agents": `
👍 thumbsup +1 thumbs_up|👎 thumbsdown -1 thumbs_down|🧠 brain|❤️ heart|🛑 octagonal_sign stop|👀 eyes|💤 zzz|⏸️ pause_button|🪫 low_battery`,
  Faces: `
😀 grinning|😃 smiley|😄 smile|😁 grin|😆 laughing|😅 sweat_smile|🤣 rofl|😂 joy|🙂 slight_smile|🙃 upside_down|😉 wink|😊 blush
😇 innocent|🥰 smiling_face_with_hearts|😍 heart_eyes|😘 kissing_heart|😋 yum|😛 stuck_out_tongue|😜 stuck_out_tongue_winking_eye
🤗 hugging|🤭 hand_over_mouth|🤔 thinking|🤐 zipper_mouth|🤨 raised_eyebrow|😐 neutral_face|😑 expressionless|😶 no_mouth|😏 smirk
😒 unamused|🙄 rolling_eyes|😬 grimacing|😌 relieved|😔 pensive|😪 sleepy|😴 sleeping|😷 mask|🤒 thermometer_face|🥵 hot_face|🥶 cold_face
🥴 woozy_face|😵 dizzy_face|🤯 exploding_head|🤠 cowboy|🥳 partying_face|😎 sunglasses|🤓 nerd|🧐 monocle|😕 confused|😟 worried
😮 open_mouth|😲 astonished|🥺 pleading_face|😨 fearful|😰 cold_sweat|😥 disappointed_relieved|😢 cry|😭 sob|😱 scream|😖 confounded
😩 weary|🥱 yawning_face|😤 triumph|😡 rage|😠 angry|🤬 cursing|😈 smiling_imp|💀 skull|🤡 clown|👻 ghost|👽 alien|🤖 robot`,
  People: `
👋 wave|✋ raised_hand|🖖 vulcan|👌 ok_hand|🤏 pinching_hand|✌️ v|🤞 fingers_crossed|🤟 love_you|🤘 metal|👈 point_left|👉 point_right
👆 point_up_2|👇 point_down|☝️ point_up|✊ fist|👊 punch|👏 clap|🙌 raised_hands|👐 open_hands|🤲 palms_up|🤝 handshake|🙏 pray
✍️ writing_hand|💪 muscle|👂 ear|👃 nose|👁️ eye|👶 baby|🧒 child|🧑 adult|🧓 older_adult|🙋 raising_hand|🤷 shrug|🤦 facepalm|🙇 bow|💃 dancer`,
  Nature: `
🐶 dog|🐱 cat|🐭 mouse|🐹 hamster|🐰 rabbit|🦊 fox|🐻 bear|🐼 panda_face|🐨 koala|🐯 tiger|🦁 lion_face|🐮 cow|🐷 pig|🐸 frog|🐵 monkey_face
🐔 chicken|🐧 penguin|🐦 bird|🦉 owl|🐺 wolf|🐴 horse|🦄 unicorn|🐝 bee|🐛 bug|🦋 butterfly|🐌 snail|🐢 turtle|🐙 octopus|🐳 whale|🐬 dolphin
🌵 cactus|🌲 evergreen_tree|🌱 seedling|🌿 herb|🍀 four_leaf_clover|🍂 fallen_leaf|🍄 mushroom|🌸 cherry_blossom|🌻 sunflower|🌍 earth_africa
🌙 crescent_moon|⭐ star|✨ sparkles|⚡ zap|🔥 fire|🌈 rainbow|☀️ sunny|☁️ cloud|🌧️ cloud_rain|❄️ snowflake|🌊 ocean`,
  Food: `
🍎 apple|🍐 pear|🍊 tangerine|🍋 lemon|🍌 banana|🍉 watermelon|🍇 grapes|🍓 strawberry|🍒 cherries|🍑 peach|🥑 avocado|🍅 tomato|🥕 carrot
🌽 corn|🍞 bread|🧀 cheese|🍕 pizza|🍔 hamburger|🍟 fries|🌮 taco|🍣 sushi|🍜 ramen|🍪 cookie|🍰 cake|🎂 birthday|🍫 chocolate_bar|🍿 popcorn
☕ coffee|🍵 tea|🍺 beer|🍻 beers|🍷 wine_glass|🥂 champagne_glass|🧃 beverage_box`,
  Things: `
🎉 tada|🎊 confetti_ball|🎈 balloon|🎁 gift|🏆 trophy|🥇 first_place|⚽ soccer|🏀 basketball|🎮 video_game|🎲 game_die|🧩 jigsaw|🎨 art|🎵 musical_note
🎸 guitar|📷 camera|📺 tv|💻 computer|⌨️ keyboard|📱 iphone|🔋 battery|💡 bulb|🔦 flashlight|🕯️ candle|📚 books|📖 book|📝 pencil memo|📌 pushpin
📎 paperclip|✂️ scissors|🔒 lock|🔓 unlock|🔑 key|🔨 hammer|🛠️ tools|⚙️ gear|🧪 test_tube|🔬 microscope|🔭 telescope|💊 pill|🚪 door|🛏️ bed|🧹 broom
🚗 car|🚲 bike|🚂 steam_locomotive|✈️ airplane|🚀 rocket|⛵ sailboat|🏠 house|🏰 castle|⏰ alarm_clock|⏳ hourglass_flowing_sand|💰 moneybag|✉️ envelope|📦 package`,
  Signs: `
🧡 orange_heart|💛 yellow_heart|💚 green_heart|💙 blue_heart|💜 purple_heart|🖤 black_heart|💔 broken_heart|💯 100|💥 boom|💬 speech_balloon|💭 thought_balloon
✅ white_check_mark|☑️ ballot_box_with_check|✔️ heavy_check_mark|❌ x|❎ negative_squared_cross_mark|❓ question|❔ grey_question|❗ exclamation|‼️ bangbang|⚠️ warning|🚫 no_entry_sign
➕ heavy_plus_sign|➖ heavy_minus_sign|➡️ arrow_right|⬅️ arrow_left|⬆️ arrow_up|⬇️ arrow_down|🔄 arrows_counterclockwise|🔁 repeat|🔍 mag|🔔 bell|🔕 no_bell
🔴 red_circle|🟠 orange_circle|🟡 yellow_circle|🟢 green_circle|🔵 blue_circle|🟣 purple_circle|⚪ white_circle|⚫ black_circle|🆕 new|🆗 ok|🆘 sos|🏁 checkered_flag`,
};

function parse(text) {
  return text
    .trim()
    .split(/[|\n]/)
    .map((entry) => {
      const [char, ...names] = entry.trim().split(" ");
      return { char, names };
    });
}

/** Groups of `{char, names}` in the picker's order. */
export const EMOJI = Object.fromEntries(Object.entries(GROUPS).map(([group, text]) => [group, parse(text)]));

const ALL = Object.values(EMOJI).flat();
const BY_NAME = new Map(ALL.flatMap((one) => one.names.map((name) => [name, one.char])));
const NAMES = new Map(ALL.map((one) => [one.char, one.names[0]]));

/** The emoji of a name, if there is one. */
export const byName = (name) => BY_NAME.get(name);

/** An emoji's name for labels; the emoji itself when it has none here. */
export const nameOfEmoji = (char) => NAMES.get(char) ?? char;

const SPOKEN = new Map(
  ALL.map((one) => [one.char, (one.names.find((name) => name.includes("_")) ?? one.names[0]).replaceAll("_", " ")]),
);

/** An emoji as one would say it: "thumbs up". */
export const spokenEmoji = (char) => SPOKEN.get(char) ?? char;

/** Emoji whose names hold the text; those that begin with it first. */
export function searchEmoji(text, most = 200) {
  const needle = text.toLowerCase();
  const found = ALL.filter((one) => one.names.some((name) => name.includes(needle)));
  const rank = (one) => (one.names.some((name) => name.startsWith(needle)) ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, most);
}
