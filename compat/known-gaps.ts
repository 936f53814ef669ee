/** Case → why it does not agree yet. A case that agrees again must be struck out; the run fails until it is. */
export const kubeApiGaps: Readonly<Record<string, string>> = {};
