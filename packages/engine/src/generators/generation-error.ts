/** Why an ApplicationSet made nothing this time, as its conditions say it (v1alpha1 ApplicationSetReasonType). */
export type GenerationReason = "ApplicationGenerationFromParamsError" | "RenderTemplateParamsError";

/** A generator or a template that fails: nothing of its set is made, changed or deleted. */
export class GenerationError extends Error {
  override readonly name = "GenerationError";
  readonly reason: GenerationReason;

  constructor(message: string, reason: GenerationReason = "ApplicationGenerationFromParamsError") {
    super(message);
    this.reason = reason;
  }
}
