import { BlockList, isIP } from "node:net";
import { EvaluationError } from "@marcbachmann/cel-js";
import type { Functions } from "./functions.ts";

/** An address or a block of them, inside expressions. */
export class AddressValue {
  readonly text: string;
  readonly family: "ipv4" | "ipv6";

  constructor(text: string) {
    this.text = text;
    this.family = isIP(text) === 4 ? "ipv4" : "ipv6";
  }
}

export class BlockValue {
  readonly address: AddressValue;
  readonly prefix: number;
  readonly #list = new BlockList();

  constructor(address: AddressValue, prefix: number) {
    this.address = address;
    this.prefix = prefix;
    this.#list.addSubnet(address.text, prefix, address.family);
  }

  contains({ text, family }: AddressValue): boolean {
    return family === this.address.family && this.#list.check(text, family);
  }
}

export class UrlValue {
  readonly url: URL | undefined;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
    this.url = URL.canParse(text) ? new URL(text) : undefined;
  }
}

export const addressType = "net.IP";
export const blockType = "net.CIDR";
export const urlType = "kubernetes.URL";

/** apiserver pkg/cel/library ip.go */
const addressFunctions: Functions = {
  [`ip(string): ${addressType}`]: (text: string) => readAddress(text),
  "isIP(string): bool": (text: string) => isPlainAddress(text),
  [`string(${addressType}): string`]: ({ text }: AddressValue) => text,
  [`${addressType}.family(): int`]: ({ family }: AddressValue) => (family === "ipv4" ? 4n : 6n),
  [`${addressType}.isUnspecified(): bool`]: ({ text }: AddressValue) => text === "0.0.0.0" || text === "::",
  [`${addressType}.isLoopback(): bool`]: ({ text }: AddressValue) =>
    text.startsWith("127.") || text === "::1",
  [`${addressType}.isLinkLocalUnicast(): bool`]: ({ text }: AddressValue) =>
    text.startsWith("169.254.") || /^fe[89ab]/i.test(text),
  [`${addressType}.isLinkLocalMulticast(): bool`]: ({ text }: AddressValue) =>
    text.startsWith("224.0.0.") || /^ff.2/i.test(text),
  [`${addressType}.isGlobalUnicast(): bool`]: ({ text }: AddressValue) =>
    !/^(?:127\.|169\.254\.|22[4-9]\.|23\d\.|0\.0\.0\.0$|255\.255\.255\.255$|::1?$|fe[89ab]|ff)/i.test(text),
};

function isPlainAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%") && !/^::ffff:\d+\./i.test(text);
}

function readAddress(text: string): AddressValue {
  if (!isPlainAddress(text))
    throw new EvaluationError(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
  return new AddressValue(text);
}

/** cidr.go */
const blockFunctions: Functions = {
  [`cidr(string): ${blockType}`]: (text: string) => {
    const block = readBlock(text);
    if (block === undefined)
      throw new EvaluationError("network address parse error during conversion from string");
    return block;
  },
  "isCIDR(string): bool": (text: string) => readBlock(text) !== undefined,
  [`string(${blockType}): string`]: ({ address, prefix }: BlockValue) => `${address.text}/${prefix}`,
  [`${blockType}.ip(): ${addressType}`]: ({ address }: BlockValue) => address,
  [`${blockType}.prefixLength(): int`]: ({ prefix }: BlockValue) => BigInt(prefix),
  [`${blockType}.containsIP(string): bool`]: (block: BlockValue, text: string) =>
    block.contains(readAddress(text)),
  [`${blockType}.containsIP(${addressType}): bool`]: (block: BlockValue, address: AddressValue) =>
    block.contains(address),
  [`${blockType}.containsCIDR(string): bool`]: (block: BlockValue, text: string) => {
    const inner = readBlock(text);
    return inner !== undefined && inner.prefix >= block.prefix && block.contains(inner.address);
  },
  [`${blockType}.containsCIDR(${blockType}): bool`]: (block: BlockValue, inner: BlockValue) =>
    inner.prefix >= block.prefix && block.contains(inner.address),
};

function readBlock(text: string): BlockValue | undefined {
  const [address = "", prefix = "", ...rest] = text.split("/");
  const length = Number(prefix);
  const most = isIP(address) === 4 ? 32 : 128;
  if (!isPlainAddress(address) || rest.length > 0 || !/^\d{1,3}$/.test(prefix) || length > most)
    return undefined;
  return new BlockValue(new AddressValue(address), length);
}

/** urls.go: an absolute address or an absolute path. */
const urlFunctions: Functions = {
  [`url(string): ${urlType}`]: (text: string) => {
    if (!isUrl(text))
      throw new EvaluationError(
        `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
      );
    return new UrlValue(text);
  },
  "isURL(string): bool": isUrl,
  [`${urlType}.getScheme(): string`]: ({ url }: UrlValue) => url?.protocol.slice(0, -1) ?? "",
  [`${urlType}.getHost(): string`]: ({ text, url }: UrlValue) => (url ? hostOf(text) : ""),
  [`${urlType}.getHostname(): string`]: ({ text, url }: UrlValue) =>
    url
      ? hostOf(text)
          .replace(/:\d*$/, "")
          .replaceAll(/^\[|\]$/g, "")
      : "",
  [`${urlType}.getPort(): string`]: ({ text, url }: UrlValue) =>
    url ? (/:(\d+)$/.exec(hostOf(text))?.[1] ?? "") : "",
  [`${urlType}.getEscapedPath(): string`]: ({ text }: UrlValue) =>
    text.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, ""),
  [`${urlType}.getQuery(): map<string, list<string>>`]: ({ text }: UrlValue) => {
    const query = new URLSearchParams(/\?([^#]*)/.exec(text)?.[1] ?? "");
    return new Map([...query.keys()].map((key) => [key, query.getAll(key)]));
  },
};

function hostOf(text: string): string {
  return /^[a-z][\w+.-]*:\/\/(?:[^@/?#]*@)?([^/?#]*)/i.exec(text)?.[1] ?? "";
}

function isUrl(text: string): boolean {
  return text.startsWith("/") || (/^[a-z][\w+.-]*:/i.test(text) && URL.canParse(text) && !/\s/.test(text));
}

export const networkFunctions: Functions = { ...addressFunctions, ...blockFunctions, ...urlFunctions };
