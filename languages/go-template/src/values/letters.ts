/** Letters and spaces as Go's unicode package has them: one character stays one. */
const spaces = String.raw`\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
export const space = new RegExp(`[${spaces}]`, "u");
export const noSpace = new RegExp(`[^${spaces}]`, "u");

const single = (char: string, changed: string): string => ([...changed].length === 1 ? changed : char);

export const upper = (char: string): string => single(char, char.toUpperCase());
export const lower = (char: string): string => single(char, char.toLowerCase());
export const eachChar = (text: string, change: (char: string) => string): string =>
  [...text].map(change).join("");
