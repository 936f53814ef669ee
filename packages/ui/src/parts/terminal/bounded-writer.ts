/** Characters that a screen has not drawn yet. xterm.js keeps fifty million and then throws. */
const mostWaiting = 1_000_000;
/** Ends whatever sequence was begun, and its colours (ECMA-48: CAN, SGR). */
const anew = "\u0018\u001b[0m";

/**
 * Writes what a screen keeps up with. Of a flood the rest is left out, since nobody could read it, and how much it was
 * stands in its place.
 */
export function boundedWriter(write: (text: string, drawn: () => void) => void): (text: string) => void {
  let waiting = 0;
  let leftOut = 0;
  const put = (text: string) => {
    waiting += text.length;
    write(text, () => {
      waiting -= text.length;
      if (leftOut === 0 || waiting > 0) return;
      const note = `${anew}\r\n[${leftOut.toLocaleString("en")} characters came faster than they can be drawn: left out]\r\n`;
      leftOut = 0;
      put(note);
    });
  };
  return (text) => {
    if (leftOut > 0 || waiting + text.length > mostWaiting) leftOut += text.length;
    else put(text);
  };
}
