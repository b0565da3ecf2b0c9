import { Text } from '@mantine/core';
import { AnchorLink } from '../../shared/anchor-link';
import { t } from '../../i18n/i18n';
import { showHidden } from '../../i18n/show-hidden';
import type { FindingGroup } from './finding-groups';
import { fixFor, waitingScript } from './fix';

/** How the owner or a developer fixes a finding, with the code if it is known. */
export function FixAdvice({ group, projectId }: { group: FindingGroup; projectId: string }) {
  const fix = fixFor(group);
  const { first } = group;
  const address = first.initiator === null ? null : showHidden(first.initiator);
  const script = fix === 'script' && address !== null ? waitingScript(address, first.category) : null;
  return (
    <>
      <Text>{t(`findings.fixes.${fix}`)}</Text>
      {script !== null && (
        <pre className="finding-code" tabIndex={0} aria-label={t('findings.code')}>
          <s>{`<script src="https://${address}"></script>`}</s>
          {'\n'}
          {script}
        </pre>
      )}
      {(fix === 'script' || fix === 'request') && (
        <Text>
          {t('findings.blockText')}{' '}
          <AnchorLink to="/projects/$projectId/banner" params={{ projectId }} search={{ part: 'blocking' }}>
            {t('findings.block')}
          </AnchorLink>
        </Text>
      )}
      {fix === 'loader' && (
        <AnchorLink to="/projects/$projectId/install" params={{ projectId }}>
          {t('pages.install')}
        </AnchorLink>
      )}
    </>
  );
}
