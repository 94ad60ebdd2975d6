// Short tones: nothing for what went well, low for what did not.
let context = null;
export const low = (long = false) => {
  if (localStorage.getItem("sounds") === "off") return;
  try {
    context ??= new AudioContext();
    for (const [at, length] of long ? [[0, 0.5]] : [[0, 0.12], [0.18, 0.12]]) {
      const tone = context.createOscillator();
      const loud = context.createGain();
      tone.frequency.value = 220;
      loud.gain.value = 0.2;
      tone.connect(loud).connect(context.destination);
      tone.start(context.currentTime + at);
      tone.stop(context.currentTime + at + length);
    }
  } catch {
    // A till without a loudspeaker still shows the words.
  }
};
