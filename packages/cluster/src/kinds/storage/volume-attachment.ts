import { goValue } from "../../schema/go-value.ts";
import { type JsonObject, numberAt, objectAt, sameJson, textAt } from "../../schema/json.ts";
import { flag, text } from "../../schema/tables/cells.ts";
import { validateDriverName } from "../../schema/validation/csi-sources.ts";
import { subdomainName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import { validateVolumeSpec } from "../../schema/validation/volume-spec.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const volumeAttachment: Kind = {
  group: "storage.k8s.io",
  resource: "volumeattachments",
  metadataPasses: { update: 1, whole: 3 },
  versionedUpdates: true,
  keptByStatus: "metadata",
  validate: validateAttachment,
  cells: {
    Attacher: text("spec", "attacher"),
    PV: text("spec", "source", "persistentVolumeName"),
    Node: text("spec", "nodeName"),
    Attached: flag("status", "attached"),
  },
  deletion: {
    answersObject: true,
  },
};

/** ValidateVolumeAttachment */
function validateAttachment(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec");
  report.settle("spec");
  validateDriverName(report, textAt(spec, "attacher"), "spec.attacher");
  validateAttached(report, objectAt(spec, "source"), "spec.source");
  const node = textAt(spec, "nodeName");
  report.syntax("spec.nodeName", node, subdomainName(node));
  for (const name of ["attachError", "detachError"]) {
    const code = numberAt(object, "status", name, "errorCode");
    if (code !== undefined && code < 0)
      report.invalid(`status.${name}.errorCode`, code, "must be between 0 and 2147483647, inclusive");
  }
  const named = spec && objectAt(spec, "source")?.persistentVolumeName;
  if (typeof named === "string")
    report.syntax("spec.source.persistentVolumeName", named, subdomainName(named));
  const [now, before] = [spec, objectAt(previous, "spec")].map((value) =>
    goValue("storage.VolumeAttachmentSpec", value),
  );
  if (previous && !sameJson(now, before)) report.invalid("spec", now, "field is immutable");
}

function validateAttached(report: Report, source: JsonObject | undefined, field: string): void {
  const [name, inline] = [source?.persistentVolumeName, objectAt(source, "inlineVolumeSpec")];
  const rule = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (name === undefined && !inline) report.required(field, rule);
  else if (name !== undefined && inline) report.forbidden(field, rule);
  else if (inline) validateVolumeSpec(report, inline, { field: `${field}.inlineVolumeSpec`, inline: true });
  else if (name === "")
    report.required(`${field}.persistentVolumeName`, "must specify non empty persistentVolumeName");
}
