import { fieldsAt } from "../../registry/selectable-fields.ts";
import { objectAt } from "../../schema/json.ts";
import { prepareSigningRequest } from "../../schema/prepare.ts";
import { signingRequestCells } from "../../schema/tables/access.ts";
import { pathSegmentName } from "../../schema/validation/names.ts";
import { validateSigningRequest } from "../../schema/validation/signing-request.ts";
import { validateIssued } from "../../schema/validation/status.ts";
import type { User } from "../../security/user.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const certificateSigningRequest: Kind = {
  group: "certificates.k8s.io",
  resource: "certificatesigningrequests",
  nameSyntax: pathSegmentName,
  ownsNoSpec: true,
  sign: signedBy,
  prepare: prepareSigningRequest,
  validate: validateSigningRequest,
  validateStatus: validateIssued,
  cells: signingRequestCells,
  selectors: fieldsAt("spec.signerName"),
};

/** A request says who made it (pkg/registry/certificates strategy.PrepareForCreate). */
function signedBy(object: KubeObject, { username, uid, groups, extra }: User): KubeObject {
  const { uid: _uid, extra: _extra, ...spec } = objectAt(object, "spec") ?? {};
  return { ...object, spec: { ...spec, username, ...(uid && { uid }), groups, ...(extra && { extra }) } };
}
