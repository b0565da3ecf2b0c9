import { Button, Text } from '@mantine/core';
import Mail from 'lucide-react/icons/mail';
import type { FindingResponse, ProjectResponse, ScanDetailsResponse } from '../../client/types.gen';
import { ButtonLink } from '../../shared/button-link';
import { VisibleText } from '../../shared/visible-text';
import { locale, t } from '../../i18n/i18n';
import { developerMail } from './developer-mail';
import type { FindingGroup, ScanState } from './finding-groups';
import { findingSentence, itemName, pageAct, pathOf } from './finding-sentence';
import { FixAdvice } from './fix-advice';
import { StateMark } from './mark';

/** The permissions of the reader, and facts of the scan. */
export interface FindingContext {
  project: ProjectResponse;
  scan: ScanDetailsResponse;
  tested: ReadonlySet<ScanState>;
  mayEdit: boolean;
  accept: (findings: FindingResponse[]) => void;
  reopen: (finding: FindingResponse) => void;
}

/** What can be done about an item at once, quietly in its row. */
export function FindingAction(props: { group: FindingGroup; context: FindingContext; onReview: () => void }) {
  const { group, context, onReview } = props;
  const { certainty, first } = group;
  if (certainty === 'settled')
    return (
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        component="a"
        href={developerMail([group], context.scan)}
      >
        {t('findings.ask')}
      </Button>
    );
  if (certainty === 'open' && first.seenIn.length > 0)
    return (
      <ButtonLink
        size="compact-sm"
        to="/projects/$projectId/cookies"
        params={{ projectId: context.project.id }}
        search={{ view: 'unclassified' }}
        aria-label={`${t('findings.decide')}: ${itemName(first)}`}
      >
        {t('findings.decide')}
      </ButtonLink>
    );
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      aria-label={`${t('findings.review')}: ${itemName(first)}`}
      onClick={onReview}
    >
      {t('findings.review')}
    </Button>
  );
}

/** An item's sightings, the rules that they touch, and the fix. */
export function FindingDetails({ group, context }: { group: FindingGroup; context: FindingContext }) {
  const { findings, first } = group;
  // A finding can touch several, which others touch, too.
  const rules = [...new Set(findings.flatMap(({ rule }) => rule.split(', ')))];
  return (
    <div className="finding-details">
      <div>
        <h4>{t('findings.saw')}</h4>
        <ul className="finding-saw">
          {findings.map((finding) => (
            <Observation key={finding.id} finding={finding} context={context} />
          ))}
        </ul>
        {first.initiator !== null && (
          <Text c="dimmed">
            {t('findings.cause')}{' '}
            <span className="mono">
              <VisibleText text={first.initiator} />
            </span>
          </Text>
        )}
        <Text c="dimmed">{t('findings.rule', { rule: new Intl.ListFormat(locale).format(rules) })}</Text>
      </div>
      <div>
        <h4>{t('findings.fix')}</h4>
        <FixAdvice group={group} projectId={context.project.id} />
        <Actions group={group} context={context} />
      </div>
    </div>
  );
}

function Observation({ finding, context }: { finding: FindingResponse; context: FindingContext }) {
  const { certainty, status, acceptedReason } = finding;
  // Requests are neither set nor stored.
  const uses = finding.itemKind === 'request' || finding.itemKind === 'fingerprint' ? [] : finding.uses;
  return (
    <li>
      <StateMark mark={certainty} />
      <div>
        {findingSentence(finding)}
        {uses.length > 1 && (
          <details>
            <summary>{t('findings.uses.title', { count: uses.length })}</summary>
            <ul>
              {uses.map((use) => (
                <li key={use.url}>
                  <VisibleText text={pathOf(use.url)} />: {pageAct(use)}
                </li>
              ))}
            </ul>
          </details>
        )}
        {status === 'accepted' && (
          <div className="finding-accepted">
            <Text c="dimmed">{t('findings.acceptedReason', { reason: acceptedReason ?? '' })}</Text>
            <Button
              size="compact-sm"
              variant="default"
              disabled={!context.mayEdit}
              aria-label={`${t('findings.reopen')}: ${findingSentence(finding)}`}
              onClick={() => context.reopen(finding)}
            >
              {t('findings.reopen')}
            </Button>
          </div>
        )}
      </div>
    </li>
  );
}

function Actions({ group, context }: { group: FindingGroup; context: FindingContext }) {
  const { certainty, current, first } = group;
  const acceptable = current.filter(({ status }) => status !== 'fixed');
  const isUnknown = certainty === 'open' && first.seenIn.length > 0;
  return (
    <div className="finding-actions">
      {certainty !== null && (
        <Button
          size="compact-sm"
          variant={certainty === 'settled' ? 'filled' : 'default'}
          component="a"
          href={developerMail([group], context.scan)}
          leftSection={<Mail className="icon" aria-hidden />}
        >
          {t('findings.ask')}
        </Button>
      )}
      {isUnknown && (
        <ButtonLink
          size="compact-sm"
          to="/projects/$projectId/cookies"
          params={{ projectId: context.project.id }}
          search={{ view: 'unclassified' }}
        >
          {t('findings.decide')}
        </ButtonLink>
      )}
      {acceptable.length > 0 && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          disabled={!context.mayEdit}
          aria-label={`${t('findings.acceptReason')}: ${itemName(first)}`}
          onClick={() => context.accept(acceptable)}
        >
          {t('findings.acceptReason')}
        </Button>
      )}
    </div>
  );
}
