import { SelectorError } from "./selector-error.ts";

export interface FieldTerm {
  readonly path: string;
  readonly isEqual: boolean;
  readonly value: string;
}

/** apimachinery pkg/fields: `a=b`, `a==b`, `a!=b`, joined by commas; `\` escapes. Throws SelectorError. */
export function parseFieldSelector(text: string): FieldTerm[] {
  return (text.match(/(?:[^\\,]|\\.?)+/gs) ?? [])
    .filter((term) => term !== "")
    .map((term) => {
      const [, path, operator, value] = /^((?:[^\\=!]|\\.|!(?!=))*)(==|!=|=)(.*)$/s.exec(term) ?? [];
      if (path === undefined || value === undefined)
        throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      return { path, isEqual: operator !== "!=", value: unescaped(value) };
    });
}

function unescaped(value: string): string {
  if (/\\(?:[^\\,=]|$)/s.test(value.replace(/\\[\\,=]/g, "")))
    throw new SelectorError(`invalid field selector: invalid escape sequence in ${value}`);
  if (/[=]/.test(value.replace(/\\./gs, "")))
    throw new SelectorError(`invalid field selector: unescaped character in value: ${value}`);
  return value.replaceAll(/\\(.)/gs, "$1");
}
