import { configurationRead, draftDiscard, draftRead, draftSave } from '../../client/sdk.gen';
import type { DraftResponse } from '../../client/types.gen';
import type { Configuration } from './configuration';

/** A banner that was saved as another project's draft, with the draft that was there before. */
export interface Copied {
  projectId: string;
  version: number;
  former: DraftResponse;
}

const ifMatch = (version: number): { 'If-Match': string } => ({ 'If-Match': `"${version}"` });

/** Saves the banner as the draft of this project. @throws ApiProblem if someone else saves the draft at the same time. */
export async function copyAsDraft(projectId: string, content: Configuration): Promise<Copied> {
  const path = { projectId };
  const [{ data: configuration }, { data: former }] = await Promise.all([
    configurationRead({ path }),
    draftRead({ path }),
  ]);
  const { data: saved } = await draftSave({
    path,
    body: { ...content, basedOn: configuration.version },
    headers: ifMatch(former.version),
  });
  return { projectId, version: saved.version, former };
}

/** Brings back the former draft, or none. @throws ApiProblem where the draft has been changed since. */
export async function undoCopy({ projectId, version, former }: Copied): Promise<void> {
  const path = { projectId };
  const headers = ifMatch(version);
  if (former.configuration === null) await draftDiscard({ path, headers });
  else await draftSave({ path, body: { ...former.configuration, basedOn: former.basedOn ?? 0 }, headers });
}
