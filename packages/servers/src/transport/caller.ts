import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP } from "node:net";

/** Who is at the other end, as far as the network says. */
export interface Caller {
  /** Address without a port. */
  readonly address: string;
  /** `host[:port]` that was asked for. */
  readonly authority: string;
  /** Whether the browser speaks TLS with somebody in front of us. */
  readonly isSecure: boolean;
}

interface Connection {
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Whether the connection itself is TLS. */
  readonly isSecure?: boolean;
}

/** Proxies whose X-Forwarded headers are believed; those of everybody else are not looked at. */
export class TrustedProxies {
  readonly #list = new BlockList();

  /** Addresses and CIDR ranges. Throws a RangeError that names the one that is neither. */
  constructor(addresses: readonly string[]) {
    for (const text of addresses) {
      const [address = "", bits] = text.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      const size = bits === undefined ? undefined : Number(bits);
      const isRange =
        size !== undefined && /^\d{1,3}$/.test(bits ?? "") && size <= (family === "ipv6" ? 128 : 32);
      if (isIP(address) === 0 || (bits !== undefined && !isRange))
        throw new RangeError(`"${text}" is neither an address nor a range like 10.0.0.0/8`);
      if (size === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, size, family);
    }
  }

  has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 6 ? "ipv6" : "ipv4");
  }

  callerOf({ remoteAddress, headers, isSecure = false }: Connection): Caller {
    const direct = plainAddress(remoteAddress ?? "");
    const asked = headers.host ?? lastOf(headers[":authority"]) ?? "";
    const own = { address: direct, authority: asked, isSecure };
    if (!this.has(direct)) return own;
    const host = lastOf(headers["x-forwarded-host"]);
    return {
      address: this.#clientOf(headers["x-forwarded-for"]) ?? direct,
      authority: host ?? own.authority,
      isSecure: lastOf(headers["x-forwarded-proto"])?.toLowerCase() === "https",
    };
  }

  /** From the right: each proxy appends who spoke to it, so only what stands right of a stranger's address is true. */
  #clientOf(header: string | string[] | undefined): string | undefined {
    const hops = [header ?? []].flat().join(",").split(",").slice(-20);
    let client: string | undefined;
    for (const hop of hops.reverse()) {
      const address = plainAddress(hop.trim().replace(/^"|"$/g, ""));
      if (isIP(address) === 0) return client;
      client = address;
      if (!this.has(address)) return client;
    }
    return client;
  }
}

function lastOf(header: string | string[] | undefined): string | undefined {
  return [header ?? []].flat().join(",").split(",").at(-1)?.trim() || undefined;
}

/** IPv4 written as IPv6 is the same address. */
function plainAddress(address: string): string {
  return address.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/^::ffff:(?=\d+\.)/i, "");
}
