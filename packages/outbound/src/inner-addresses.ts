import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** This machine, and what answers nobody but this machine: metadata services of clouds. */
const inner = new BlockList();
inner.addSubnet("127.0.0.0", 8);
inner.addSubnet("169.254.0.0", 16);
inner.addSubnet("0.0.0.0", 8);
inner.addAddress("::1", "ipv6");
inner.addAddress("::", "ipv6");
inner.addSubnet("fe80::", 10, "ipv6");
inner.addAddress("fd00:ec2::254", "ipv6");

export function isInnerAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && inner.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Of a URL as `new URL` reads it, which writes every spelling of an IPv4 address in one way. */
export function isInnerHost({ hostname }: Pick<URL, "hostname">): boolean {
  const name = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || isInnerAddress(name);
}

export function innerRefusal(host: string): Error {
  return new Error(
    `it leads to ${host}, an address of this machine or of its surroundings alone, and is not followed`,
  );
}

/** Looks at the very address that is connected to: a name may have another one the next time. */
export const lookupOutside: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const bad = error ? undefined : found.find(({ address }) => isInnerAddress(address));
    const [first] = found ?? [];
    if (error || bad || !first) callback(error ?? innerRefusal(hostname), "", 0);
    else if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  });
};
