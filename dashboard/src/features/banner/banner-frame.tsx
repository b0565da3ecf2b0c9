import { Button, Group, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { t } from '../../i18n/i18n';
import './banner-frame.css';
import type { Mode, Modes } from './configuration';

/** The content of the frame (loader/preview/preview.ts). */
export interface Scene {
  configuration: object;
  region: string;
  language: string;
  dark: boolean;
  signal: boolean;
  /** The visitor's modes; absent: by the region's rule. */
  modes?: Modes;
  /** The second layer, in place of the first. */
  isSecondLayer: boolean;
  /** The visitor's choice; null: none yet. */
  choice: Choice | null;
}

export interface Choice {
  id: string;
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  /** By id, where the visitor chose by service. */
  services?: Record<string, boolean>;
}

/** Messages from the frame. */
type Report =
  | { kind: 'ready' | 'chosen' | 'failed' }
  | { kind: 'shown'; mode: Mode; honoured: boolean }
  | { kind: 'hidden' | 'own'; mode: Mode };

/** Windows in CSS pixels, small enough that text stays readable when the window is made smaller to fit. */
const DEVICES = { desktop: [720, 560], tablet: [600, 760], phone: [375, 667] } as const;
export type Device = keyof typeof DEVICES;
/** A bar has its desktop form from this width on. */
const WIDE_DESKTOP = [960, 640] as const;

export const isDevice = (value: unknown): value is Device =>
  typeof value === 'string' && Object.hasOwn(DEVICES, value);

/** Width and height of the page in the frame, in CSS pixels. Cropped, it has little of the page around the banner. */
function viewport(device: Device, configuration: object, isCropped: boolean): readonly [number, number] {
  const { banner } = configuration as { banner?: { layout?: string } };
  const isWide = device === 'desktop' && banner?.layout === 'bar';
  if (!isCropped) return isWide ? WIDE_DESKTOP : DEVICES[device];
  if (device === 'phone') return [375, 480];
  return isWide ? [1000, 440] : [720, 440];
}

/** The room that the frame takes, known before it is there, so that nothing moves when it comes. */
export function bannerStage(device: Device, configuration: object = {}, isCropped = false): CSSProperties {
  const [width, height] = viewport(device, configuration, isCropped);
  return { aspectRatio: `${width} / ${height}`, maxWidth: width };
}

/**
 * The real banner, in a frame that has no part in the session: its document is of an opaque origin. It is as wide as
 * the device, and made smaller to fit.
 */
export function BannerFrame({
  scene,
  device,
  isCropped = false,
  shownWords = null,
}: {
  scene: Scene;
  device: Device;
  /** The state before a choice, in words; null: the sentence of the strictest mode. */
  shownWords?: string | null;
  /** Whether only the banner and a little of the page around it are shown, without a browser's window. */
  isCropped?: boolean | undefined;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { ref, width: room } = useElementSize();
  const [report, setReport] = useState<Report | null>(null);
  const [shownAgain, setShownAgain] = useState(0);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    const hear = ({ source, data }: MessageEvent<Report>) => {
      if (source !== frame.current?.contentWindow) return;
      if (data.kind === 'ready') setReady(true);
      setReport(data);
    };
    window.addEventListener('message', hear);
    return () => window.removeEventListener('message', hear);
  }, []);
  const text = JSON.stringify(scene);
  useEffect(() => {
    // Its origin is opaque, so `*` is the only target; the message contains only public data of the
    // site.
    if (ready) frame.current?.contentWindow?.postMessage(JSON.parse(text), '*');
  }, [ready, text, shownAgain]);
  const [width, height] = viewport(device, scene.configuration, isCropped);
  const scale = room > 0 ? Math.min(1, room / width) : 0;
  return (
    <div>
      <div className="banner-stage" data-cropped={isCropped || undefined}>
        <div className="browser" style={{ maxWidth: width }}>
          {!isCropped && (
            <div className="browser-bar" aria-hidden>
              <i />
              <i />
              <i />
            </div>
          )}
          <div ref={ref} className="browser-page" style={bannerStage(device, scene.configuration, isCropped)}>
            <iframe
              ref={frame}
              title={t('banner.frame')}
              src="/preview-frame"
              sandbox="allow-scripts"
              width={width}
              height={height}
              style={{ transform: `scale(${scale})` }}
            />
          </div>
        </div>
      </div>
      <Group className="banner-report" gap="xs">
        <Text c="dimmed" role="status">
          {report ? sentenceOf(report, shownWords) : ''}
        </Text>
        {report?.kind === 'chosen' && (
          <Button variant="default" onClick={() => setShownAgain((times) => times + 1)}>
            {t('banner.showAgain')}
          </Button>
        )}
      </Group>
    </div>
  );
}

function sentenceOf(report: Report, shownWords: string | null): string {
  switch (report.kind) {
    case 'ready':
      return '';
    case 'shown':
      return report.honoured
        ? t('banner.signalHonored')
        : (shownWords ?? t(`banner.modeTexts.${report.mode}`));
    case 'hidden':
      return t('banner.modeTexts.none');
    case 'own':
      return t('banner.turnedOff');
    case 'chosen':
      return t('banner.choiceMade');
    case 'failed':
      return t('banner.frameFailed');
  }
}
