/** Of a flag that counts, from 1 on: a run whose count is no number would play nothing, and pass. */
export function wholeNumber(flag: string, text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new Error(`--${flag} ${text}: it is a whole number from 1`);
}
