import { quoteGo, unquoteGo } from "@capstan/formats";
import { TemplateError } from "../template-error.ts";

export interface Constant {
  readonly int?: bigint;
  readonly uint?: bigint;
  readonly float?: number;
}

const whole =
  /^([+-]?)(?:0[xX](_?[\da-fA-F]+(?:_[\da-fA-F]+)*)|0[oO]?(_?[0-7]+(?:_[0-7]+)*)|0[bB](_?[01]+(?:_[01]+)*)|((?:[1-9](?:_?\d)*)|0))$/;
const decimal = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const hexFloat = /^([+-]?)0[xX]_?([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d+)$/;

/**
 * The types that a number's text fits (Go, parse/node.go newNumber): integers are floats too, floats without a
 * fraction are integers. Complex numbers are refused: nothing of Argo CD's can take one.
 */
export function readNumber(text: string): Constant {
  if (text.startsWith("'")) return readCharacter(text);
  if (text.endsWith("i")) throw new TemplateError(`complex number ${quoteGo(text)} is not supported`);
  const int = readInteger(text);
  if (int !== undefined) return fits(int, Number(int));
  const float = readFloat(text);
  if (float === undefined || !Number.isFinite(float))
    throw new TemplateError(`illegal number syntax: ${quoteGo(text)}`);
  if (!/[.eEpP]/.test(text)) throw new TemplateError(`integer overflow: ${quoteGo(text)}`);
  return Number.isInteger(float) ? fits(BigInt(float), float) : { float };
}

function readCharacter(text: string): Constant {
  const char = unquoteGo(text);
  if (char === undefined) throw new TemplateError(`malformed character constant: ${text}`);
  const code = char.codePointAt(0) ?? 0;
  return { int: BigInt(code), uint: BigInt(code), float: code };
}

function fits(value: bigint, float: number): Constant {
  return {
    ...(BigInt.asIntN(64, value) === value && { int: value }),
    ...(BigInt.asUintN(64, value) === value && { uint: value }),
    float,
  };
}

/** strconv.ParseInt and ParseUint with base 0. Nothing for what is no integer, or longer than 64 bits hold. */
export function readInteger(text: string): bigint | undefined {
  const [, sign, hex, octal, binary, plain] = whole.exec(text) ?? [];
  const literal =
    (hex !== undefined && `0x${hex}`) ||
    (octal !== undefined && `0o${octal}`) ||
    (binary !== undefined && `0b${binary}`) ||
    plain;
  if (literal === undefined || text.length > 100) return undefined;
  const size = BigInt(literal.replaceAll("_", ""));
  const value = sign === "-" ? -size : size;
  const isHeld = BigInt.asIntN(64, value) === value || BigInt.asUintN(64, value) === value;
  return isHeld ? value : undefined;
}

function readFloat(text: string): number | undefined {
  if (decimal.test(text)) return Number(text.replaceAll("_", ""));
  const [, sign, before = "", after = "", exponent = "0"] = hexFloat.exec(text) ?? [];
  if (before + after === "") return undefined;
  const size = Number.parseInt(before + after, 16) * 2 ** (Number(exponent) - 4 * after.length);
  return sign === "-" ? -size : size;
}
