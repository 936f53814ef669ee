import { objectAt } from "../json.ts";
import { qualifiedName, subdomainName } from "./names.ts";
import type { Report } from "./report.ts";

export const protocols = ["SCTP", "TCP", "UDP"];

export function validateApplication(report: Report, port: unknown, field: string): void {
  const application = objectAt({ port }, "port")?.appProtocol;
  if (typeof application === "string")
    report.syntax(`${field}.appProtocol`, application, qualifiedName(application));
}

export function validateNodeName(report: Report, item: unknown, field: string): void {
  const node = objectAt({ item }, "item")?.nodeName;
  if (typeof node === "string") report.syntax(`${field}.nodeName`, node, subdomainName(node));
}

/** ValidateEndpointIP: what no other machine can reach. */
export function refuseSpecial(report: Report, ip: string, field: string): void {
  const refuse = (why: string): void => report.invalid(field, ip, why);
  if (ip === "0.0.0.0" || ip === "::") refuse(`may not be unspecified (${ip})`);
  if (ip.startsWith("127.") || ip === "::1")
    refuse("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (ip.startsWith("169.254.") || /^fe[89ab]/i.test(ip))
    refuse("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (ip.startsWith("224.0.0.") || /^ff02:/i.test(ip))
    refuse("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
}
