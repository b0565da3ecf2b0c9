import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ConsentResponse } from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import { languageName } from '../../shared/display-names';
import { t } from '../../i18n/i18n';
import { isDevice } from '../banner/banner-frame';
import { modeWords, ShownBanner } from '../banner/shown-banner';

/** The banner that the visitor saw, as far as the record says what decides it. */
export function WhatWasShown({ projectId, record }: { projectId: string; record: ConsentResponse }) {
  return (
    <section aria-label={t('consents.shown')} className="record-part">
      <Title order={3}>{t('consents.shown')}</Title>
      <Picture projectId={projectId} record={record} />
      <Circumstances record={record} />
    </section>
  );
}

function Picture({ projectId, record }: { projectId: string; record: ConsentResponse }) {
  const { configHash, surface } = record;
  if (configHash === null) return <Text>{t('banner.noHash')}</Text>;
  if (surface === null || surface === 'api') return <Text>{t('banner.notOurs')}</Text>;
  if (surface === 'placeholder') return <Text>{t('banner.atPlaceholder')}</Text>;
  const { id, analytics, marketing, preferences, services, additionalFields } = record;
  const onSecondLayer = surface === 'preferences' || surface === 'link';
  return (
    <ShownBanner
      projectId={projectId}
      configHash={configHash}
      language={record.language}
      signal={surface === 'signal'}
      fields={additionalFields}
      isCropped
      {...(onSecondLayer && {
        choice: { id, analytics, marketing, preferences, ...(services && { services }) },
      })}
    />
  );
}

/** What decided the picture, in words. */
function Circumstances({ record }: { record: ConsentResponse }) {
  const { surface, language, configHash, additionalFields } = record;
  const { theme, device, modes, regionPreset } = additionalFields;
  const chips: ReactNode[] = [
    surface && t(`consents.surfaces.${surface}`),
    ...modeWords(modes),
    typeof regionPreset === 'string' && t('consents.preset', { name: regionPreset }),
    language && languageName(language),
    (theme === 'light' || theme === 'dark') && t(`consents.themes.${theme}`),
    isDevice(device) && t(`banner.previewOptions.${device}`),
    configHash && (
      <>
        {t('consents.configuration')} <CopyId id={configHash} />
      </>
    ),
  ].filter(Boolean);
  if (chips.length === 0) return null;
  return (
    <ul className="circumstances">
      {chips.map((chip, place) => (
        <li key={place} className="pill">
          {chip}
        </li>
      ))}
    </ul>
  );
}
