const label = "[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?";
const dnsLabel = new RegExp(`^${label}$`);
const dnsSubdomain = new RegExp(`^${label}(?:\\.${label})*$`);

/** Of Namespaces and containers (RFC 1123; Kubernetes' validation IsDNS1123Label). */
export function isDnsLabel(text: string): boolean {
  return dnsLabel.test(text);
}

/** Of Applications, projects and Pods (RFC 1123; Kubernetes' validation IsDNS1123Subdomain). */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && dnsSubdomain.test(text);
}
