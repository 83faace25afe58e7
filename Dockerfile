# docker build -t treewright . && docker run -p 127.0.0.1:8001:8001 treewright
FROM python:3.13 AS build
COPY . /source
RUN pip wheel --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)[serve]"
USER nobody
EXPOSE 8001
ENTRYPOINT ["treewright", "serve", "--host", "0.0.0.0"]
CMD ["--allow-host", "localhost"]
