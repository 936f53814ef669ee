import { fieldsAt } from "../../registry/selectable-fields.ts";
import { listAt, numberAt, objectAt, textAt } from "../../schema/json.ts";
import { printDuration } from "../../schema/tables/age.ts";
import { conditionOf, text, textOr } from "../../schema/tables/cells.ts";
import { pathSegmentName, subdomainName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { User } from "../../security/user.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

const shortestLifeSeconds = 600;

export const certificateSigningRequest: Kind = {
  group: "certificates.k8s.io",
  resource: "certificatesigningrequests",
  nameSyntax: pathSegmentName,
  ownsNoSpec: true,
  sign: signedBy,
  prepare: prepareSigningRequest,
  validate: validateSigningRequest,
  validateStatus: validateIssued,
  cells: {
    SignerName: textOr("<none>", "spec", "signerName"),
    Requestor: text("spec", "username"),
    RequestedDuration(object) {
      const seconds = numberAt(object, "spec", "expirationSeconds");
      return seconds === undefined ? "<none>" : printDuration(seconds * 1000);
    },
    Condition(object) {
      const verdict = ["Denied", "Approved"].find((type) => conditionOf(object, type)) ?? "Pending";
      const failed = conditionOf(object, "Failed") ? ",Failed" : "";
      return `${verdict}${failed}${textAt(object, "status", "certificate") ? ",Issued" : ""}`;
    },
  },
  selectors: fieldsAt("spec.signerName"),
};

/** A request says who made it (pkg/registry/certificates strategy.PrepareForCreate). */
function signedBy(object: KubeObject, { username, uid, groups, extra }: User): KubeObject {
  const { uid: _uid, extra: _extra, ...spec } = objectAt(object, "spec") ?? {};
  return { ...object, spec: { ...spec, username, ...(uid && { uid }), groups, ...(extra && { extra }) } };
}

/** What is to be signed never changes: an update's is put aside. */
function prepareSigningRequest(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  return previous ? { ...object, spec: previous.spec } : object;
}

/** pkg/apis/certificates/validation ValidateCertificateSigningRequestCreate; what is signed is not looked into. */
function validateSigningRequest(report: Report, object: KubeObject): void {
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

function validateIssued(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const issued = textAt(object, "status", "certificate");
  const known = ["True", "False", "Unknown"];
  for (const [index, condition] of listAt(object, "status", "conditions").entries()) {
    const field = `status.conditions[${index}]`;
    const status = textAt(condition, "status");
    if (!textAt(condition, "type")) report.required(`${field}.type`);
    if (!status) report.required(`${field}.status`);
    else if (!known.includes(status))
      report.unsupported(`${field}.status`, status, ["False", "True", "Unknown"]);
  }
  if (issued === "" || issued === textAt(previous, "status", "certificate")) return;
  const field = "status.certificate";
  const text = Buffer.from(issued, "base64").toString("latin1");
  if (!certificate.test(text))
    report.invalid(field, "<certificate data>", "must contain at least one CERTIFICATE PEM block");
}
