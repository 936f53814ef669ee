import { ListEditor, PairEditor } from "../../parts/forms/row-editors.tsx";
import { AddName, Check, checkOf, type FormProps, fieldOf, Row, TextRow } from "./form-rows.tsx";
import { imageRows, withImage } from "./images.ts";
import { PatchEditor } from "./patch-editor.tsx";

export function KustomizeForm(props: FormProps) {
  return (
    <section className="parameter-group" aria-label="Kustomize">
      <h2>Kustomize</h2>
      <TextRow label="Name prefix" {...fieldOf(props, "namePrefix")} />
      <TextRow label="Name suffix" {...fieldOf(props, "nameSuffix")} />
      <TextRow label="Namespace" {...fieldOf(props, "namespace")} />
      <TextRow
        label="Version"
        hint="One that argocd-cm names; default: the installed one"
        {...fieldOf(props, "version")}
      />
      <Images {...props} />
      <Workloads {...props} />
      <Marks {...props} />
    </section>
  );
}

function Images({ draft, description, problems, onChange }: FormProps) {
  const rows = imageRows(description?.kustomize?.images ?? [], draft.images);
  const put = (image: string, reference: string) =>
    onChange({ images: withImage(draft.images, image, reference) });
  return (
    <>
      <div className="parameter-tools">
        <h3>Images</h3>
      </div>
      {problems.has("images") && <p className="field-problem">{problems.get("images")}</p>}
      {rows.map((row) => (
        <TextRow
          key={row.name}
          label={row.name}
          isCode
          value={row.override}
          placeholder={row.original}
          hint={row.original === undefined ? "No object uses it now." : undefined}
          onChange={(reference) => put(row.name, reference)}
        />
      ))}
      {rows.length === 0 && <p className="dim">No image is known of this kustomization.</p>}
      <AddName
        label="Another image"
        placeholder="nginx:1.27 or nginx=mirror/nginx:1.27"
        onAdd={(text) => {
          const [image = "", reference] = text.split(/=(.*)/s);
          put(image.replace(/@.*$/, "").replace(/:[^/:]*$/, ""), reference || image);
        }}
      />
    </>
  );
}

/** Replicas, components and patches. */
function Workloads(props: FormProps) {
  const { draft, problems, onChange } = props;
  return (
    <>
      <div className="parameter-tools">
        <h3>Objects</h3>
      </div>
      <Row label="Replicas" problem={problems.get("replicas")} isSet={draft.replicas.length > 0}>
        <PairEditor
          label="Replicas"
          words={["Deployment or StatefulSet", "number"]}
          {...fieldOf(props, "replicas")}
        />
      </Row>
      <Row
        label="Components"
        hint="Folders, from the application's"
        problem={problems.get("components")}
        isSet={draft.components.length > 0}
      >
        <ListEditor label="Components" {...fieldOf(props, "components")} />
        {(draft.components.length > 0 || draft.ignoreMissingComponents) && (
          <Check label="pass over those that are not there" {...checkOf(props, "ignoreMissingComponents")} />
        )}
      </Row>
      <Row
        label="Patches"
        hint="Strategic merge or JSON 6902, as YAML"
        problem={problems.get("patches")}
        isSet={draft.patches.length > 0}
      >
        <PatchEditor patches={draft.patches} onChange={(patches) => onChange({ patches })} />
      </Row>
    </>
  );
}

/** What every object gets. */
function Marks(props: FormProps) {
  return (
    <>
      <div className="parameter-tools">
        <h3>On every object</h3>
      </div>
      <Labels {...props} />
      <Annotations {...props} />
    </>
  );
}

function Labels(props: FormProps) {
  const { draft, problems } = props;
  const { commonLabels, labelWithoutSelector, labelIncludeTemplates, forceCommonLabels } = draft;
  const isSet = commonLabels.length > 0 || labelWithoutSelector || labelIncludeTemplates || forceCommonLabels;
  return (
    <Row label="Labels" problem={problems.get("commonLabels")} isSet={isSet}>
      <PairEditor label="Labels" words={["name", "value"]} {...fieldOf(props, "commonLabels")} />
      {isSet && (
        <>
          <Check label="not in selectors" {...checkOf(props, "labelWithoutSelector")} />
          <Check
            label="in templates too, where not in selectors"
            {...checkOf(props, "labelIncludeTemplates")}
          />
          <Check label="over those that the kustomization sets" {...checkOf(props, "forceCommonLabels")} />
        </>
      )}
    </Row>
  );
}

function Annotations(props: FormProps) {
  const { draft, problems } = props;
  const { commonAnnotations, commonAnnotationsEnvsubst, forceCommonAnnotations } = draft;
  const isSet = commonAnnotations.length > 0 || commonAnnotationsEnvsubst || forceCommonAnnotations;
  return (
    <Row label="Annotations" problem={problems.get("commonAnnotations")} isSet={isSet}>
      <PairEditor label="Annotations" words={["name", "value"]} {...fieldOf(props, "commonAnnotations")} />
      {isSet && (
        <>
          <Check
            label="with $ARGOCD_APP_NAME and its like filled in"
            {...checkOf(props, "commonAnnotationsEnvsubst")}
          />
          <Check
            label="over those that the kustomization sets"
            {...checkOf(props, "forceCommonAnnotations")}
          />
        </>
      )}
    </Row>
  );
}
