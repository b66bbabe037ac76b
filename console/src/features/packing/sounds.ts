type Tone = { hertz: number; ms: number };

/** Right and wrong differ in pitch, length and rhythm, so that a packer can distinguish them in a loud room. */
const tones = {
  right: [{ hertz: 1320, ms: 70 }],
  wrong: [
    { hertz: 220, ms: 180 },
    { hertz: 160, ms: 320 },
  ],
  done: [
    { hertz: 880, ms: 90 },
    { hertz: 1320, ms: 160 },
  ],
} as const satisfies Record<string, readonly Tone[]>;

let context: AudioContext | undefined;

/** Made of oscillators: nothing is loaded. Browsers allow it after the first key press. */
export function playSound(name: keyof typeof tones): void {
  context ??= new AudioContext();
  let at = context.currentTime;
  for (const { hertz, ms } of tones[name]) {
    const oscillator = new OscillatorNode(context, { type: name === "wrong" ? "square" : "sine", frequency: hertz });
    const volume = new GainNode(context, { gain: 0.2 });
    oscillator.connect(volume).connect(context.destination);
    oscillator.start(at);
    at += ms / 1000;
    volume.gain.setValueAtTime(0.2, at - 0.02);
    volume.gain.linearRampToValueAtTime(0, at);
    oscillator.stop(at);
  }
}
