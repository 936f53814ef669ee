import type { KubeObject } from "../../types.ts";
import { listAt, numberAt, objectAt, textAt } from "../json.ts";
import { subdomainName } from "./names.ts";
import type { Report } from "./report.ts";

const shortestLifeSeconds = 600;

/** pkg/apis/certificates/validation ValidateCertificateSigningRequestCreate; what is signed is not looked into. */
export function validateSigningRequest(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const request = Buffer.from(textAt(spec, "request"), "base64").toString("latin1");
  if (!/-----BEGIN CERTIFICATE REQUEST-----[^-]+-----END CERTIFICATE REQUEST-----/.test(request))
    report.invalid("spec.request", spec?.request ?? null, "PEM block type must be CERTIFICATE REQUEST");
  if (listAt(spec, "usages").length === 0) report.required("spec.usages");
  validateSigner(report, textAt(spec, "signerName"));
  const seconds = numberAt(spec, "expirationSeconds");
  if (seconds !== undefined && seconds < shortestLifeSeconds)
    report.invalid(
      "spec.expirationSeconds",
      seconds,
      "may not specify a duration less than 600 seconds (10 minutes)",
    );
}

function validateSigner(report: Report, signer: string): void {
  const field = "spec.signerName";
  const slash = signer.indexOf("/");
  if (!signer) report.required(field);
  else if (slash < 0)
    report.invalid(
      field,
      signer,
      "must be a fully qualified domain and path of the form 'example.com/signer-name'",
    );
  else
    for (const part of [signer.slice(0, slash), signer.slice(slash + 1)])
      report.syntax(
        field,
        signer,
        subdomainName(part).map((problem) => `validating label "${part}": ${problem}`),
      );
}
