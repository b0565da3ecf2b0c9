import { Button, Text } from '@mantine/core';
import Mail from 'lucide-react/icons/mail';
import { useState } from 'react';
import { findingReopen } from '../../client/sdk.gen';
import type { FindingResponse, ProjectResponse, ScanDetailsResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { useApiMutation } from '../../shared/use-api-mutation';
import { usePhone } from '../../shared/use-phone';
import { t } from '../../i18n/i18n';
import { AcceptDialog } from './accept-dialog';
import { developerMail } from './developer-mail';
import { DraftButton } from './draft-button';
import { FindingCards } from './finding-cards';
import {
  CERTAINTIES,
  type FindingGroup,
  type FindingSection,
  servicesOf,
  type ScanState,
} from './finding-groups';
import type { FindingContext } from './finding-details';
import { FindingTable } from './finding-table';
import { changesSoon } from './scan-status';
import type { useScanFindings } from './use-scan-findings';
import { CERTAINTY_TONE } from './verdict';

/** The findings of a scan: each item once, with its result in every consent state. */
export function ScanFindings(props: {
  project: ProjectResponse;
  scan: ScanDetailsResponse;
  findings: ReturnType<typeof useScanFindings>;
}) {
  const { project, scan } = props;
  const { query, groups } = props.findings;
  const isPhone = usePhone();
  const [accepting, setAccepting] = useState<FindingResponse[] | null>(null);
  const reopen = useApiMutation({
    request: async (findingId: string) =>
      (await findingReopen({ path: { projectId: project.id, findingId } })).data,
    invalidates: ['findingOfScan', 'findingList', 'scanRead', 'scanList'],
    notifiesError: true,
  });
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (scan.result === null)
    return (
      <Text className="finding-note">
        {t(changesSoon(scan) ? 'findings.afterScan' : 'findings.notEvaluated')}
      </Text>
    );
  if (groups === null) return <SkeletonRows rows={8} />;
  const refusal = checkAccess(project, { role: 'editor' });
  const sections = sectionsOf(groups);
  const context: FindingContext = {
    project,
    scan,
    tested: testedStates(scan),
    mayEdit: refusal === null,
    accept: setAccepting,
    reopen: ({ id }) => reopen.mutate(id),
  };
  const List = isPhone ? FindingCards : FindingTable;
  return (
    <>
      <Toolbar project={project} scan={scan} groups={groups} />
      <AccessNote refusal={refusal} projectId={project.id} what={t('findings.accept')} />
      {sections.length > 0 ? (
        <List sections={sections} context={context} />
      ) : (
        <Text className="finding-note">{t('findings.none')}</Text>
      )}
      <Text className="finding-note" size="xs" c="dimmed">
        {t('findings.text')}
      </Text>
      {accepting && (
        <AcceptDialog projectId={project.id} findings={accepting} onClose={() => setAccepting(null)} />
      )}
    </>
  );
}

function Toolbar(props: { project: ProjectResponse; scan: ScanDetailsResponse; groups: FindingGroup[] }) {
  const { project, scan, groups } = props;
  const settled = groups.filter(({ certainty }) => certainty === 'settled');
  return (
    <div className="finding-tools">
      <DraftButton project={project} scan={scan} />
      {settled.length > 0 && (
        <Button
          variant="default"
          component="a"
          href={developerMail(settled, scan)}
          leftSection={<Mail className="icon" aria-hidden />}
        >
          {t('findings.askAbout', { count: settled.length })}
        </Button>
      )}
    </div>
  );
}

function sectionsOf(groups: FindingGroup[]): FindingSection[] {
  const sections: FindingSection[] = CERTAINTIES.map((certainty) => {
    const found = groups.filter((group) => group.certainty === certainty);
    return {
      tone: CERTAINTY_TONE[certainty],
      title: t(`findings.sections.${certainty}`),
      text: t(`findings.sectionTexts.${certainty}`, {
        items: found.length,
        services: servicesOf(found).length,
      }),
      groups: found,
    };
  });
  const accepted: FindingSection = {
    tone: 'none',
    title: t('findings.statuses.accepted'),
    text: t('findings.sectionTexts.accepted'),
    groups: groups.filter(({ certainty }) => certainty === null),
  };
  return [...sections, accepted].filter((section) => section.groups.length > 0);
}

/** The crawl tests the first state, also where no banner could be tested. */
function testedStates({ states, pages }: ScanDetailsResponse): Set<ScanState> {
  const tested = states.filter(({ status }) => status === 'tested').map(({ state }) => state);
  return new Set([...(pages.visited > 0 ? (['before'] as const) : []), ...tested]);
}
