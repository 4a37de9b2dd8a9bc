# The app for one server or one replica: docker build -t dialoscope . && docker run -p 127.0.0.1:8501:8501 dialoscope
# Two replicas with nginx: deploy/compose.yaml. docs/deploy.md has more.
FROM python:3.11-slim

# The app writes to /data alone, and needs nothing of it to start: models that visitors add, and its libraries' caches.
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin dialoscope \
    && install --directory --owner=dialoscope --group=dialoscope /data
WORKDIR /app

# Before the code, so that an edit of the code installs nothing anew. As in the Makefile: PyPI's torch for Linux brings
# gigabytes of CUDA libraries, so its CPU build comes first; without that index, torch comes from the default one.
COPY requirements.txt constraints.txt ./
ARG TORCH_CPU_INDEX=https://download.pytorch.org/whl/cpu
RUN if [ -n "$TORCH_CPU_INDEX" ]; then \
        pip install --no-cache-dir --root-user-action=ignore --no-deps --index-url "$TORCH_CPU_INDEX" \
            "$(grep '^torch==' requirements.txt)"; \
    fi \
    && pip install --no-cache-dir --root-user-action=ignore -r requirements.txt -c constraints.txt

COPY LICENSE app.py ./
COPY .streamlit .streamlit
COPY docs/glossary.md docs/glossary.tr.md docs/glossary.vi.md docs/
COPY deploy/ready.py deploy/
COPY core core
COPY pages pages
COPY checkpoints checkpoints
RUN python -m compileall -q app.py core pages deploy

# Whoever starts it says under which names it answers: STREAMLIT_SERVER_ALLOWED_HOSTS=class.example.org.
# Without that, under localhost and numeric addresses. DIALOSCOPE_DEMO=1 is for strangers.
ENV STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501 \
    STREAMLIT_SERVER_HEADLESS=true \
    DIALOSCOPE_IMPORTED=/data/imported \
    HF_HOME=/data/hub \
    XDG_CACHE_HOME=/data/cache \
    PYTHONUNBUFFERED=1
USER dialoscope
VOLUME /data
EXPOSE 8501

# Green when the first visitor will not wait. The first check begins to load the model; that takes about half a minute.
HEALTHCHECK --interval=10s --timeout=6s --start-period=180s --retries=3 CMD ["python", "deploy/ready.py"]
CMD ["python", "-m", "streamlit", "run", "app.py"]
