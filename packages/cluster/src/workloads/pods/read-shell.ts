export interface ShellCommand {
  words: readonly string[];
  /** What stands before it: it always runs after ";", after a success for "&&", after a failure for "||". */
  after: ";" | "&&" | "||";
}

const mostText = 1 << 20;

interface Reading {
  text: string;
  at: number;
  commands: ShellCommand[];
  words: string[];
  word: string | undefined;
  after: ShellCommand["after"];
  variables: ReadonlyMap<string, string>;
}

/** Simple commands in sequence, with quotes and $NAME; undefined as soon as anything else appears. */
export function readShell(text: string, variables: ReadonlyMap<string, string>): ShellCommand[] | undefined {
  if (text.length > mostText) return undefined;
  const reading: Reading = { text, at: 0, commands: [], words: [], word: undefined, after: ";", variables };
  while (reading.at < text.length) {
    if (!readNext(reading)) return undefined;
  }
  endCommand(reading, ";");
  return reading.commands;
}

function readNext(reading: Reading): boolean {
  const { text, at } = reading;
  const char = text.charAt(at);
  if (char === " " || char === "\t" || char === "\r") {
    endWord(reading);
    reading.at += 1;
    return true;
  }
  if (char === "#" && reading.word === undefined) {
    while (reading.at < text.length && text[reading.at] !== "\n") reading.at += 1;
    return true;
  }
  const operator = ["&&", "||", ";", "\n"].find((one) => text.startsWith(one, at));
  if (operator !== undefined) return readOperator(reading, operator);
  const redirection = /^(?:[12]?>&[12]|[12]?>>?\s?\/dev\/(?:null|stdout|stderr))(?=\s|;|&|$)/.exec(
    text.slice(at, at + 40),
  );
  if (redirection && reading.word === undefined) {
    if (redirection[0].endsWith("null")) return false;
    reading.at += redirection[0].length;
    return true;
  }
  if (char === "'") return readSingleQuoted(reading);
  if (char === '"') return readDoubleQuoted(reading);
  if (char === "$") return readVariable(reading);
  if (char === "\\") {
    if (text[at + 1] !== "\n") reading.word = (reading.word ?? "") + text.charAt(at + 1);
    reading.at += 2;
    return true;
  }
  if ("`|&<>(){}*?[]!~".includes(char)) return false;
  reading.word = (reading.word ?? "") + char;
  reading.at += 1;
  return true;
}

function readOperator(reading: Reading, operator: string): boolean {
  reading.at += operator.length;
  const after = operator === "&&" || operator === "||" ? operator : ";";
  const hasCommand = reading.words.length > 0 || reading.word !== undefined;
  if (!hasCommand && after !== ";") return false;
  if (!hasCommand && operator === "\n") return true;
  endCommand(reading, after);
  return true;
}

function readSingleQuoted(reading: Reading): boolean {
  const end = reading.text.indexOf("'", reading.at + 1);
  if (end < 0) return false;
  reading.word = (reading.word ?? "") + reading.text.slice(reading.at + 1, end);
  reading.at = end + 1;
  return true;
}

function readDoubleQuoted(reading: Reading): boolean {
  reading.word ??= "";
  reading.at += 1;
  while (reading.at < reading.text.length) {
    const char = reading.text.charAt(reading.at);
    if (char === '"') {
      reading.at += 1;
      return true;
    }
    if (char === "`") return false;
    if (char === "$") {
      if (!readVariable(reading)) return false;
      continue;
    }
    const escapes = char === "\\" && '"\\$`'.includes(reading.text.charAt(reading.at + 1));
    reading.word += escapes ? reading.text.charAt(reading.at + 1) : char;
    reading.at += escapes ? 2 : 1;
  }
  return false;
}

function readVariable(reading: Reading): boolean {
  const found = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/.exec(
    reading.text.slice(reading.at, reading.at + 300),
  );
  if (found) {
    reading.word = (reading.word ?? "") + (reading.variables.get(found[1] ?? found[2] ?? "") ?? "");
    reading.at += found[0].length;
    return true;
  }
  const next = reading.text.charAt(reading.at + 1);
  if (next !== "" && !' ";\n'.includes(next)) return false;
  reading.word = `${reading.word ?? ""}$`;
  reading.at += 1;
  return true;
}

function endWord(reading: Reading): void {
  if (reading.word !== undefined) reading.words.push(reading.word);
  reading.word = undefined;
}

function endCommand(reading: Reading, next: ShellCommand["after"]): void {
  endWord(reading);
  if (reading.words.length > 0) reading.commands.push({ words: reading.words, after: reading.after });
  reading.words = [];
  reading.after = next;
}
