import { hostname, networkInterfaces } from "node:os";

/** The names by which clients may call a server that listens on `host`. */
export function serverNames(host: string): string[] {
  const every = host === "0.0.0.0" || host === "::";
  const addresses = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address),
  );
  const names = [
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "127.0.0.1",
    "::1",
    ...(every ? [hostname(), ...addresses.map((address) => address.replace(/%.*$/, ""))] : [host]),
  ];
  return [...new Set(names)];
}
